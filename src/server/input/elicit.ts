/** `elicit`, `elicitUrl`, `sample` and `listRoots`: questions to the client, and their answers typed. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { elicitForm } from '../../protocol/elicitation-form.ts';
import type { ElicitResult } from '../../protocol/model/elicitation.ts';
import type { ListRootsResult } from '../../protocol/model/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/model/sampling.ts';
import { checkedSchema } from '../../schema/check/checked-schema.ts';
import type { AskOptions, ElicitAnswer, UrlOptions } from '../context.ts';
import type { InputRequests } from './input-requests.ts';

const URL_POLL_MS = 500;
/** How long a call stays open for it, where the client can be told to call again. */
const URL_POLL_BUDGET_MS = 20_000;

/** Asks by form. */
export async function elicit(
  questions: InputRequests,
  message: string,
  schema: unknown,
  options: AskOptions = {},
): Promise<ElicitAnswer<unknown>> {
  const form = checkedSchema(schema, 'elicit: schema', 'input');
  const requestedSchema = elicitForm(form.jsonSchema);
  let content: unknown;
  const fits = async (answer: unknown): Promise<boolean> => {
    const { action, content: given } = answer as ElicitResult;
    if (action !== 'accept') return true;
    const checked = await form.check(given ?? {});
    if (checked.ok) content = checked.value;
    return checked.ok;
  };
  const question = { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } } as const;
  const { action } = (await questions.request(question, options.key, fits)) as ElicitResult;
  return action === 'accept' ? { action, content } : { action };
}

/** Asks by URL, and waits for what the page is for if it is told how to know. */
export async function elicitUrl(
  questions: InputRequests,
  message: string,
  url: string,
  { key, until }: UrlOptions = {},
): Promise<ElicitAnswer<undefined>> {
  if (!URL.canParse(url)) throw new TypeError('elicitUrl: the URL is not valid');
  const question = { method: 'elicitation/create', params: { mode: 'url', message, url } } as const;
  const { action } = (await questions.request(question, key, () => true)) as ElicitResult;
  if (action !== 'accept') return { action };
  if (until) await waitUntil(questions, until);
  const elicitationId = questions.elicitationId(question);
  if (until && elicitationId) questions.call.exchange.notify('notifications/elicitation/complete', { elicitationId });
  return { action, content: undefined };
}

/** Asks the client's model. */
export async function sample(
  questions: InputRequests,
  params: CreateMessageParams,
  { key }: AskOptions = {},
): Promise<CreateMessageResult> {
  const { includeContext, ...rest } = params;
  // Never without the client's word for it; older revisions had no word, and meant yes.
  const allowed = !questions.call.wire.features.samplingContext || questions.call.can('sampling.context');
  const asked = includeContext && (allowed || includeContext === 'none') ? params : rest;
  const question = { method: 'sampling/createMessage', params: asked } as const;
  return (await questions.request(question, key, () => true)) as CreateMessageResult;
}

/** Asks for the client's roots. */
export async function listRoots(questions: InputRequests, { key }: AskOptions = {}): Promise<ListRootsResult> {
  return (await questions.request({ method: 'roots/list' }, key, () => true)) as ListRootsResult;
}

async function waitUntil(questions: InputRequests, until: () => boolean | Promise<boolean>): Promise<void> {
  const { signal } = questions.call;
  const started = Date.now();
  while (!(await until())) {
    if (signal.aborted) throw RpcError.internal('The call was given up');
    if (questions.viaRetry && Date.now() - started >= URL_POLL_BUDGET_MS) return questions.suspendUntilRetry();
    await pause(URL_POLL_MS, signal);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
  });
}
