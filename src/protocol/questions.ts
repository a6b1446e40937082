/** Questions in the words of the revision they are asked in. */

import type { Params } from '../jsonrpc/message.ts';
import type { RevisionFacts } from './facts.ts';
import type { Question } from './model/questions.ts';
import { encodeQuestion as encodeStateful } from './stateful/questions.ts';
import { encodeQuestion as encodeStateless } from './stateless/questions.ts';

/** A question in the client's words; throws `RpcError` where the revision has no words for it. */
export function encodeQuestion(
  question: Question,
  facts: RevisionFacts,
): { readonly method: string; readonly params?: Params } {
  return facts.family === 'stateless' ? encodeStateless(question) : encodeStateful(question, facts);
}
