/** Completion: suggestions for arguments of prompts and variables of resource templates. */

/** The prompt or resource template that has the argument to complete. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string; readonly title?: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

/** Suggested values, best first. At most 100 are sent. */
export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** Result of `completion/complete`. */
export interface CompleteResult {
  readonly completion: Completion;
}
