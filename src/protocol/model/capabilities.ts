/** Capabilities of clients and servers. */

/** Settings of a capability. `{}` declares the capability without settings. */
export type Settings = Readonly<Record<string, unknown>>;

/** Capabilities that a client declares: in `initialize` or, in stateless revisions, in `_meta` of each request. */
export interface ClientCapabilities {
  readonly elicitation?: { readonly form?: Settings; readonly url?: Settings };
  /** Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. */
  readonly sampling?: { readonly context?: Settings; readonly tools?: Settings };
  /** Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on. */
  readonly roots?: { readonly listChanged?: boolean };
  readonly experimental?: Readonly<Record<string, Settings>>;
  readonly extensions?: Readonly<Record<string, Settings>>;
}

/** Capabilities that a server declares in the result of `initialize` or `server/discover`. */
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

/** Path of a client capability, such as `elicitation.url` or `extensions.com.example/feature`. */
export type ClientCapabilityName =
  | 'elicitation'
  | 'elicitation.form'
  | 'elicitation.url'
  | 'sampling'
  | 'sampling.tools'
  | 'sampling.context'
  | 'roots'
  | (string & {});
