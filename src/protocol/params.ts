/** Validation of request params: required members of each method, and maximum lengths of strings. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import type { Implementation } from './model/implementation.ts';
import { isLoggingLevel, LOGGING_LEVELS, type LoggingLevel } from './model/logging.ts';

/** True for an object with the strings `name` and `version`. */
export function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}

/** Returns a required string member of the params. Throws -32602 if it is missing or not a string. */
export function stringParam(params: Params, name: string): string {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  if (typeof value !== 'string') throw RpcError.invalidParams(`"${name}" must be a string`);
  return value;
}

/** Returns the value if it is a log level. Throws -32602 otherwise, with `name` as the place in the error message. */
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
   * Maximum length of a resource's URI. A URI is matched with every template, stored by subscriptions and repeated in the header
   * `Mcp-Name`, and Node allows 16 KiB for all headers. The limit does not apply to URIs of icons and content.
   */
  uri: 8192,
  /** Maximum length of a list's cursor. Cursors that this package makes are shorter. */
  cursor: 4096,
  /** Maximum length of a progress token: every progress notification repeats it. */
  progressToken: 1024,
} as const;

/** Maximum number of URIs in `resourceSubscriptions`, for scope checks and for `subscriptions/listen`. */
export const MAX_SUBSCRIPTION_URIS = 10_000;
/** Maximum length of all URIs together that one session of a stateful revision subscribes to, in UTF-16 code units. */
export const MAX_SUBSCRIBED_CHARACTERS: number = 64 * 1024;

const uriLength: Check = (params) => checkLength(params['uri'], 'uri', STRING_LIMITS.uri);
const cursorLength: Check = (params) => checkLength(params['cursor'], 'cursor', STRING_LIMITS.cursor);

const LENGTHS: ReadonlyMap<string, Check> = new Map<string, Check>([
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

/** Throws -32602 if a string in the params exceeds its maximum length. Values of other types are not checked. */
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

/** Returns a copy of the object without these members, or the object itself if it has none of them. */
export function without<T extends object>(value: T, ...keys: string[]): T {
  if (!keys.some((key) => key in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) as T;
}
