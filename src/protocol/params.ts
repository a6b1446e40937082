/** Checks of the params of requests: required members, shapes by method, and lengths of strings. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import type { Implementation } from './model/implementation.ts';
import { isLoggingLevel, LOGGING_LEVELS, type LoggingLevel } from './model/logging.ts';

/** True for an object with a name and a version. */
export function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}

/** A string that must be there. */
export function stringParam(params: Params, name: string): string {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  if (typeof value !== 'string') throw RpcError.invalidParams(`"${name}" must be a string`);
  return value;
}

/** One of the eight log levels. */
export function levelParam(value: unknown, name: string): LoggingLevel {
  if (!isLoggingLevel(value)) throw RpcError.invalidParams(`"${name}" must be one of ${LOGGING_LEVELS.join(', ')}`);
  return value;
}

type ShapeCheck = (params: Params) => void;

const uriShape: ShapeCheck = (params) => void stringParam(params, 'uri');

/** A tool or a prompt, and arguments that are an object if there are some. */
const namedShape: ShapeCheck = (params) => {
  stringParam(params, 'name');
  const { arguments: args } = params;
  if (args !== undefined && !isObject(args)) throw RpcError.invalidParams('"arguments" must be an object');
};

const SHAPES: ReadonlyMap<string, ShapeCheck> = new Map([
  ['tools/call', namedShape],
  ['prompts/get', namedShape],
  ['resources/read', uriShape],
  ['resources/subscribe', uriShape],
  ['resources/unsubscribe', uriShape],
]);

/** Throws -32602 if the params of this method do not have the members that its type says. */
export function checkShape(method: string, params: Params): void {
  SHAPES.get(method)?.(params);
}

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

/** URIs in the `resourceSubscriptions` of one `subscriptions/listen`. Scope checks and the method share this limit. */
export const MAX_SUBSCRIPTION_URIS = 10_000;
/** Characters of all URIs that one stateful session may subscribe to. */
export const MAX_SUBSCRIBED_CHARACTERS: number = 64 * 1024;

type StringCheck = (params: Params) => void;

const uriLength: StringCheck = (params) => checkLength(params['uri'], 'uri', STRING_LIMITS.uri);
const cursorLength: StringCheck = (params) => checkLength(params['cursor'], 'cursor', STRING_LIMITS.cursor);

const LENGTHS: ReadonlyMap<string, StringCheck> = new Map<string, StringCheck>([
  ['resources/read', uriLength],
  ['resources/subscribe', uriLength],
  ['resources/unsubscribe', uriLength],
  ['subscriptions/listen', subscriptions],
  ['completion/complete', completion],
  ['tools/list', cursorLength],
  ['prompts/list', cursorLength],
  ['resources/list', cursorLength],
  ['resources/templates/list', cursorLength],
  ['tasks/list', cursorLength],
]);

/** Throws -32602 if a string of the request is too long. Whether it is a string at all is checked elsewhere. */
export function checkStrings(method: string, params: Params): void {
  const meta = params['_meta'];
  if (isObject(meta)) checkLength(meta['progressToken'], '_meta.progressToken', STRING_LIMITS.progressToken);
  LENGTHS.get(method)?.(params);
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

/** An object without some of its members; the same object if it has none of them. */
export function without<T extends object>(value: T, ...keys: string[]): T {
  if (!keys.some((key) => key in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) as T;
}
