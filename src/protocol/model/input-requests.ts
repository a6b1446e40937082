/** Input requests: requests for elicitation, sampling or roots that a server sends to its client. */

import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from './elicitation.ts';
import type { ListRootsResult } from './roots.ts';
import type { CreateMessageParams, CreateMessageResult } from './sampling.ts';

/** An input request, with params as in the newest revision. Older revisions encode the params differently. */
export type InputRequest =
  | { readonly method: 'elicitation/create'; readonly params: ElicitFormParams | ElicitUrlParams }
  | { readonly method: 'sampling/createMessage'; readonly params: CreateMessageParams }
  | { readonly method: 'roots/list'; readonly params?: Readonly<Record<string, unknown>> };

/** The client's response to an input request: the result of an elicitation, sampling or roots request. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;
