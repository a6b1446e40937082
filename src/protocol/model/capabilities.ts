/** What each side can do, as it tells the other. */

/** Settings of one feature; `{}` means "yes". */
export type Settings = Readonly<Record<string, unknown>>;

/** What a client can do for a server. */
export interface ClientCapabilities {
  readonly elicitation?: { readonly form?: Settings; readonly url?: Settings };
  /** Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. */
  readonly sampling?: { readonly context?: Settings; readonly tools?: Settings };
  /** Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on. */
  readonly roots?: { readonly listChanged?: boolean };
  readonly experimental?: Readonly<Record<string, Settings>>;
  readonly extensions?: Readonly<Record<string, Settings>>;
}

/** What a server can do for a client. */
export interface ServerCapabilities {
  readonly tools?: { readonly listChanged?: boolean };
  readonly prompts?: { readonly listChanged?: boolean };
  readonly resources?: { readonly listChanged?: boolean; readonly subscribe?: boolean };
  readonly completions?: Settings;
  /** Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. */
  readonly logging?: Settings;
  readonly experimental?: Readonly<Record<string, Settings>>;
  readonly extensions?: Readonly<Record<string, Settings>>;
}

/** A capability by its dotted name. */
export type ClientCapabilityName =
  | 'elicitation'
  | 'elicitation.form'
  | 'elicitation.url'
  | 'sampling'
  | 'sampling.tools'
  | 'sampling.context'
  | 'roots'
  | (string & {});
