/** How long the strings of a request may be that a server searches with, keeps or sends back. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';

/** In characters (UTF-16 code units). A longer string is answered with -32602 before anything is done with it. */
export const STRING_LIMITS = {
  /**
   * A URI that names a resource: it is matched against every template, kept by subscriptions, and repeated in `Mcp-Name`,
   * where Node allows 16 KiB for all headers. Icons and the `data:` URIs of content are no such URIs.
   */
  uri: 8192,
  /** A cursor: it is decoded and compared with the keys of a list. The cursors of this package are shorter. */
  cursor: 4096,
  /** A progress token: it is sent back with every progress notification. */
  progressToken: 1024,
} as const;

type StringCheck = (params: Params) => void;

const uri: StringCheck = (params) => checkLength(params['uri'], 'uri', STRING_LIMITS.uri);
const cursor: StringCheck = (params) => checkLength(params['cursor'], 'cursor', STRING_LIMITS.cursor);

const CHECKS: ReadonlyMap<string, StringCheck> = new Map<string, StringCheck>([
  ['resources/read', uri],
  ['resources/subscribe', uri],
  ['resources/unsubscribe', uri],
  ['subscriptions/listen', subscriptions],
  ['completion/complete', completion],
  ['tools/list', cursor],
  ['prompts/list', cursor],
  ['resources/list', cursor],
  ['resources/templates/list', cursor],
  ['tasks/list', cursor],
]);

/** Throws -32602 if a string of the request is too long. Whether it is a string at all is checked elsewhere. */
export function checkStrings(method: string, params: Params): void {
  const meta = params['_meta'];
  if (isObject(meta)) checkLength(meta['progressToken'], '_meta.progressToken', STRING_LIMITS.progressToken);
  CHECKS.get(method)?.(params);
}

function subscriptions({ notifications }: Params): void {
  const uris = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined;
  if (!Array.isArray(uris)) return;
  for (const each of uris) checkLength(each, 'notifications.resourceSubscriptions', STRING_LIMITS.uri);
}

function completion({ ref }: Params): void {
  if (isObject(ref)) checkLength(ref['uri'], 'ref.uri', STRING_LIMITS.uri);
}

function checkLength(value: unknown, name: string, limit: number): void {
  if (typeof value !== 'string' || value.length <= limit) return;
  throw RpcError.invalidParams(`"${name}" has more than ${limit} characters`);
}
