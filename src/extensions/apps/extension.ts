/** The extension itself: what each side declares of it, and whether a client did. */

import type { ClientExtension } from '../../entries/client.ts';
import type { ClientCapabilities } from '../../entries/mcpp.ts';
import type { ServerExtension } from '../../entries/server.ts';
import { APP_MIME_TYPE, EXTENSION_ID, isObject, REVISIONS } from './words.ts';

/** MCP Apps, for `extensions` of a server, and of a client that shows views. */
export function apps(): ServerExtension & ClientExtension {
  return {
    id: EXTENSION_ID,
    revisions: REVISIONS,
    server: { settings: {} },
    client: { settings: { mimeTypes: [APP_MIME_TYPE] } },
  };
}

/** Whom `canShowApps` is asked about. The second argument of a handler fits, and so does what `visible` gets. */
export interface AppsClient {
  readonly capabilities: ClientCapabilities;
  readonly revision?: string;
}

/** True if the client of this request can show views. */
export function canShowApps({ capabilities, revision }: AppsClient): boolean {
  if (revision !== undefined && !REVISIONS.some((one) => one === revision)) return false;
  const settings: unknown = capabilities.extensions?.[EXTENSION_ID];
  return isObject(settings) && Array.isArray(settings['mimeTypes']) && settings['mimeTypes'].includes(APP_MIME_TYPE);
}
