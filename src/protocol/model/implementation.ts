/** `Implementation`: the type of `serverInfo` and `clientInfo`. */

/** An icon of a list entry, server or client. */
export interface Icon {
  /** URL of the image, with the scheme `https:` or `data:`. */
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

/** Name and version of a server or client. Unverified: for display and logs only. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
}
