/** Questions as entries of an `input_required` result: a method and its params, no id. */

import type { Params } from '../../jsonrpc/message.ts';
import type { Question } from '../model/questions.ts';

/** The question as it stands in `inputRequests`. */
export function encodeQuestion(question: Question): { method: string; params?: Params } {
  const { method, params } = question;
  return params === undefined ? { method } : { method, params: { ...params } };
}
