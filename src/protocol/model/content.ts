/** Content blocks of tool results and prompt messages. */

import type { Icon } from './implementation.ts';
import type { Meta } from './meta.ts';

/** Hints about content: its audience, importance and age. */
export interface Annotations {
  readonly audience?: readonly Role[];
  /** Importance of the content, from 0 (optional) to 1 (required). */
  readonly priority?: number;
  /** Time of the last modification, in ISO 8601 format. */
  readonly lastModified?: string;
}

/** Author of a message: the user or the model. */
export type Role = 'user' | 'assistant';

interface Annotated {
  readonly annotations?: Annotations;
  readonly _meta?: Meta;
}

/** A block of plain text. */
export interface TextContent extends Annotated {
  readonly type: 'text';
  readonly text: string;
}

/** An image, base64-encoded. */
export interface ImageContent extends Annotated {
  readonly type: 'image';
  readonly data: string;
  readonly mimeType: string;
}

/** Audio, base64-encoded. */
export interface AudioContent extends Annotated {
  readonly type: 'audio';
  readonly data: string;
  readonly mimeType: string;
}

/** A reference to a resource, which the client can read with `resources/read`. */
export interface ResourceLink extends Annotated {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly icons?: readonly Icon[];
}

/** A resource, embedded with its contents. */
export interface EmbeddedResource extends Annotated {
  readonly type: 'resource';
  readonly resource: ResourceContents;
}

/** Contents of a resource: text, or bytes as base64. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

/** Contents of a resource as text. */
export interface TextResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: Meta;
}

/** Contents of a resource as bytes, base64-encoded. */
export interface BlobResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly blob: string;
  readonly _meta?: Meta;
}

/** A block of content in a tool result or prompt message. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
