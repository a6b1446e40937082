/** Registration options that tools, prompts, resources and resource templates have in common. */

import { checkOptions, type KeysOf } from '../../jsonrpc/known-options.ts';
import { scopesOf } from '../authorization/scopes.ts';
import type { Entry, ErrorDisclosure, Visible } from './registry.ts';

/** Options of every registration. */
export interface EntryConfig {
  /** Returns false to hide the entry from a caller: its lists omit the entry, and its requests get the error of an unknown one. */
  readonly visible?: Visible;
  /** Scopes that a caller needs to use the entry. A caller without all of them gets an error that names them (HTTP: 403). */
  readonly scopes?: readonly string[];
  /** Disclosure of handler errors other than `ToolError` and `RpcError`: a reference, or the message. Default: the server's. */
  readonly errors?: ErrorDisclosure;
  /** True to replace a registered entry of the same name. Default: false, so that a second registration throws. */
  readonly replace?: boolean;
}

const KEYS: KeysOf<EntryConfig> = { visible: true, scopes: true, errors: true, replace: true };

/** Our names of options, by their names in other libraries, for "did you mean" in error messages. */
type OtherNames = ReadonlyMap<string, string>;

/**
 * Checks the options and the handler of a registration; throws a `TypeError` that begins with `where`. Returns the members of
 * the entry that follow from `EntryConfig`, and the other options.
 */
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

/** Throws a `TypeError` if the option `errors` is not valid. */
export function checkErrors(where: string, errors: unknown): void {
  if (errors === undefined || errors === 'hidden' || errors === 'messages') return;
  throw new TypeError(`${where}: errors must be "hidden" or "messages"`);
}
