/** Registration options that tools, prompts, resources and resource templates have in common. */

import { checkOptions, type KeysOf } from '../../jsonrpc/known-options.ts';
import { scopesOf } from '../authorization/scopes.ts';
import type { Entry, ErrorDisclosure, Visible } from './registry.ts';

export interface EntryConfig {
  /** Returns false to hide the entry from a caller, as if the entry were not registered. Default: all callers see it. */
  readonly visible?: Visible;
  /** OAuth scopes that requests for the entry require. A caller that lacks one gets error -32600 (HTTP: 403). Default: none. */
  readonly scopes?: readonly string[];
  /** Disclosure to clients of handler errors other than `ToolError` and `RpcError`. Default: the server's option `errors`. */
  readonly errors?: ErrorDisclosure;
  /** Replaces a registered entry of the same name. Default: false, so that a second registration throws a `TypeError`. */
  readonly replace?: boolean;
}

const KEYS: KeysOf<EntryConfig> = { visible: true, scopes: true, errors: true, replace: true };

/** Option names of other libraries, mapped to the names in this package, for "did you mean" in error messages. */
type OtherNames = ReadonlyMap<string, string>;

/** Checks the options and the handler of a registration. If one is invalid, throws a `TypeError` that begins with `where`. */
export function entryOptions<C extends EntryConfig>(
  where: string,
  config: C,
  keys: Omit<KeysOf<C>, keyof EntryConfig>,
  handler: unknown,
  extraKeys?: readonly string[],
  otherNames?: OtherNames,
): { access: Pick<Entry, 'visible' | 'scopes' | 'errors'>; options: Omit<C, keyof EntryConfig> } {
  checkOptions(where, config ?? null, { ...keys, ...KEYS }, extraKeys, otherNames);
  const { visible, scopes, errors, replace: _, ...options } = config;
  if (typeof handler !== 'function') throw new TypeError(`${where}: the handler must be a function`);
  checkErrors(where, errors);
  return { access: { visible, scopes: scopesOf(where, scopes), errors }, options };
}

/** Throws a `TypeError`, with a message that begins with `where`, if `errors` is neither an `ErrorDisclosure` nor undefined. */
export function checkErrors(where: string, errors: unknown): void {
  if (errors === undefined || errors === 'hidden' || errors === 'messages') return;
  throw new TypeError(`${where}: errors must be "hidden" or "messages"`);
}
