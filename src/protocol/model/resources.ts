/** Resources, which clients read by URI, and resource templates, which describe sets of URIs. */

import type { Annotations, ResourceContents } from './content.ts';
import type { Icon } from './implementation.ts';
import type { Meta } from './meta.ts';

/** An entry of `resources/list`. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

/** An entry of `resources/templates/list`. `uriTemplate` is an RFC 6570 template. */
export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

/** Result of `resources/read`. */
export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: Meta;
}
