/** Completion: suggestions while a person types an argument. */

/** What is being completed: an argument of a prompt, or a variable of a resource template. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string; readonly title?: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

/** Suggestions, best first; at most 100 travel. */
export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** What `completion/complete` gives. */
export interface CompleteResult {
  readonly completion: Completion;
}
