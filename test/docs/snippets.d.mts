/** The repository. */
export declare const root: string;

/** A `ts` block. */
export interface Snippet {
  /** Where it stands: `docs/errors.md:24`. */
  readonly place: string;
  readonly code: string;
  /** What it prints, if the page says so: the `text` block right after it, or after the table it is in. */
  readonly prints: string | undefined;
  /** The package of another library that it imports, in pages that compare. */
  readonly library: string | undefined;
  /** Where the table begins that it is in, if it is a column of one. */
  readonly table: string | undefined;
}

export declare function pages(): string[];
export declare function snippetsOf(page: string): Snippet[];
