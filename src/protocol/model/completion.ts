/** Completion: suggestions for arguments of prompts and variables of resource templates. */

/** The prompt or resource template whose argument is completed. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string; readonly title?: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

/** Suggested values, best first. Servers send at most 100 values. */
export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** Result of `completion/complete`. */
export interface CompleteResult {
  readonly completion: Completion;
}
