/** What a server or a client says of itself. */

/** A picture for a list entry. */
export interface Icon {
  /** `https:` or `data:`. */
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

/** Name and version of a server or client, for people and logs; never a reason to behave differently. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
}
