/** Content: what tools and prompts hand to a model. */

import type { Icon } from './implementation.ts';
import type { Meta } from './meta.ts';

/** Who a piece of content is meant for, how much it matters, how old it is. */
export interface Annotations {
  readonly audience?: readonly Role[];
  /** 0 (optional) to 1 (required). */
  readonly priority?: number;
  /** ISO 8601. */
  readonly lastModified?: string;
}

/** Who speaks. */
export type Role = 'user' | 'assistant';

interface Annotated {
  readonly annotations?: Annotations;
  readonly _meta?: Meta;
}

/** Plain text. */
export interface TextContent extends Annotated {
  readonly type: 'text';
  readonly text: string;
}

/** An image, base64. */
export interface ImageContent extends Annotated {
  readonly type: 'image';
  readonly data: string;
  readonly mimeType: string;
}

/** Sound, base64. */
export interface AudioContent extends Annotated {
  readonly type: 'audio';
  readonly data: string;
  readonly mimeType: string;
}

/** A resource the client may read by itself. */
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

/** A resource with its content. */
export interface EmbeddedResource extends Annotated {
  readonly type: 'resource';
  readonly resource: ResourceContents;
}

/** What a resource holds: text, or bytes in base64. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

/** A resource that is text. */
export interface TextResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: Meta;
}

/** A resource that is bytes, base64. */
export interface BlobResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly blob: string;
  readonly _meta?: Meta;
}

/** One piece of a tool's result or of a prompt's message. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
