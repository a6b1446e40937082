/** Questions: what a server may ask its client while it works on a request. */

import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from './elicitation.ts';
import type { ListRootsResult } from './roots.ts';
import type { CreateMessageParams, CreateMessageResult } from './sampling.ts';

/** A question in the newest revision's words. */
export type InputRequest =
  | { readonly method: 'elicitation/create'; readonly params: ElicitFormParams | ElicitUrlParams }
  | { readonly method: 'sampling/createMessage'; readonly params: CreateMessageParams }
  | { readonly method: 'roots/list'; readonly params?: Readonly<Record<string, unknown>> };

/** An answer to one of them. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;
