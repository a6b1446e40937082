/** Validation of request params: required members of each method, and maximum lengths of strings. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import type { MethodRow } from './methods.ts';
import type { Implementation } from './model/implementation.ts';
import { isLoggingLevel, LOGGING_LEVELS, type LoggingLevel } from './model/logging.ts';

export function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}

/** Returns a string member of the params. Throws -32602 if the member is missing or not a string. */
export function stringParam(params: Params, name: string): string {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  if (typeof value !== 'string') throw RpcError.invalidParams(`"${name}" must be a string`);
  return value;
}

/** Returns `value` if it is a log level. Otherwise throws -32602, with `name` as the name of the param in the error message. */
export function levelParam(value: unknown, name: string): LoggingLevel {
  if (!isLoggingLevel(value)) throw RpcError.invalidParams(`"${name}" must be one of ${LOGGING_LEVELS.join(', ')}`);
  return value;
}

type Check = (params: Params) => void;

const uriShape: Check = (params) => void stringParam(params, 'uri');

const namedShape: Check = (params) => {
  stringParam(params, 'name');
  const { arguments: args } = params;
  if (args !== undefined && !isObject(args)) throw RpcError.invalidParams('"arguments" must be an object');
};

const SHAPES: ReadonlyMap<string, Check> = new Map([
  ['tools/call', namedShape],
  ['prompts/get', namedShape],
  ['resources/read', uriShape],
  ['resources/subscribe', uriShape],
  ['resources/unsubscribe', uriShape],
]);

/** Throws -32602 if a required member of the method's params is missing or has the wrong type. */
export function checkShape(method: string, params: Params): void {
  SHAPES.get(method)?.(params);
}

/** Maximum lengths of received strings, in UTF-16 code units. Requests with longer strings get -32602. */
export const STRING_LIMITS = {
  /**
   * Maximum length of resource URIs, in UTF-16 code units. A URI is matched against every template, kept by subscriptions, and
   * repeated in the header `Mcp-Name` (Node limits all headers to 16 KiB). Does not apply to URIs of icons and content.
   */
  uri: 8192,
  /** Maximum length of list cursors, in UTF-16 code units. Servers of this package create shorter cursors. */
  cursor: 4096,
  /** Maximum length of progress tokens, in UTF-16 code units: every progress notification repeats the token. */
  progressToken: 1024,
} as const;

/** Maximum number of URIs in `resourceSubscriptions` of a `subscriptions/listen` request. Requests with more get -32602. */
export const MAX_SUBSCRIPTION_URIS = 10_000;
/** Maximum total length of the URIs that one session of a stateful revision subscribes to, in UTF-16 code units. */
export const MAX_SUBSCRIBED_CHARACTERS: number = 64 * 1024;

/** Throws -32602 if a string exceeds `STRING_LIMITS`. For custom methods (no `row`), checks only the progress token. */
export function checkStrings(row: MethodRow | undefined, params: Params): void {
  const { _meta, cursor, uri, ref, notifications } = params;
  if (isObject(_meta)) checkLength(_meta['progressToken'], '_meta.progressToken', STRING_LIMITS.progressToken);
  if (!row) return;
  checkLength(cursor, 'cursor', STRING_LIMITS.cursor);
  checkLength(uri, 'uri', STRING_LIMITS.uri);
  if (isObject(ref)) checkLength(ref['uri'], 'ref.uri', STRING_LIMITS.uri);
  const uris = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined;
  if (!Array.isArray(uris)) return;
  for (const each of uris) checkLength(each, 'notifications.resourceSubscriptions', STRING_LIMITS.uri);
}

function checkLength(value: unknown, name: string, limit: number): void {
  if (typeof value !== 'string' || value.length <= limit) return;
  throw RpcError.invalidParams(`"${name}" has more than ${limit} characters`);
}

/** Returns a copy of the object without the members `keys`, or the object itself if it has none of them. */
export function without<T extends object>(value: T, ...keys: string[]): T {
  if (!keys.some((key) => key in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) as T;
}
