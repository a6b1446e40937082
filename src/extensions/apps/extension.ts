/** The MCP Apps extension (SEP-1865): its declaration, and the check whether a client supports it. */

import type { ClientExtension } from '../../entries/client.ts';
import type { ClientCapabilities } from '../../entries/mcpp.ts';
import type { ServerExtension } from '../../entries/server.ts';
import { APP_MIME_TYPE, EXTENSION_ID, isObject, REVISIONS } from './words.ts';

/** Returns the MCP Apps extension, for the option `extensions` of a server, or of a client that can show views. */
export function apps(): ServerExtension & ClientExtension {
  return {
    id: EXTENSION_ID,
    revisions: REVISIONS,
    server: { settings: {} },
    client: { settings: { mimeTypes: [APP_MIME_TYPE] } },
  };
}

/** Client that `canShowApps` checks. The `ctx` of a handler fits, and so does the argument of `visible`. */
export interface AppsClient {
  readonly capabilities: ClientCapabilities;
  readonly revision?: string;
}

/** Returns true if the client declares MCP Apps with the MIME type of views, in a revision that supports MCP Apps. */
export function canShowApps({ capabilities, revision }: AppsClient): boolean {
  if (revision !== undefined && !REVISIONS.some((one) => one === revision)) return false;
  const settings: unknown = capabilities.extensions?.[EXTENSION_ID];
  return isObject(settings) && Array.isArray(settings['mimeTypes']) && settings['mimeTypes'].includes(APP_MIME_TYPE);
}
