/** Registration options that tools, prompts, resources and resource templates have in common. */

import { checkOptions, type KeysOf } from '../../jsonrpc/known-options.ts';
import { scopesOf } from '../authorization/scopes.ts';
import type { Entry, ErrorDisclosure, Visible } from './registry.ts';

/** Options of every registration. */
export interface EntryConfig {
  /** Hides the entry from some callers: it is absent from their lists, and unknown when they use it. */
  readonly visible?: Visible;
  /** Scopes that a caller needs, all of them. Others get an error with these scopes (HTTP: 403). Lists do not show them. */
  readonly scopes?: readonly string[];
  /** What clients get of plain errors of the handler: only a reference, or their messages. Default: the server's `errors`. */
  readonly errors?: ErrorDisclosure;
  /** Replaces a registered entry of the same name. Default: false, a second registration throws. */
  readonly replace?: boolean;
}

const KEYS: KeysOf<EntryConfig> = { visible: true, scopes: true, errors: true, replace: true };

/** Names of options in other libraries, with our names, for "did you mean". */
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
