/** `ctx.elicit`, `ctx.elicitUrl`, `ctx.sample` and `ctx.listRoots`: one function per kind of input request. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { elicitForm } from '../../protocol/elicitation-form.ts';
import type { ElicitResult } from '../../protocol/model/elicitation.ts';
import type { ListRootsResult } from '../../protocol/model/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/model/sampling.ts';
import { checkedSchema } from '../../schema/check/checked-schema.ts';
import { sleep } from '../../timing/sleep.ts';
import type { AskOptions, ElicitAnswer, UrlOptions } from '../context.ts';
import type { InputRequests } from './input-requests.ts';

/** Interval at which `ctx.elicitUrl` calls its option `until`, in milliseconds. */
const URL_POLL_MS = 500;
/** Milliseconds that `ctx.elicitUrl` waits for `until` in stateless revisions, before the client has to retry the call. */
const URL_POLL_BUDGET_MS = 20_000;

/** Asks the user to fill in a form. Sends the form again if the content of an accepted response does not match `schema`. */
export async function elicit(
  inputRequests: InputRequests,
  message: string,
  schema: unknown,
  options: AskOptions = {},
): Promise<ElicitAnswer<unknown>> {
  const form = checkedSchema(schema, 'elicit: schema', 'input');
  const requestedSchema = elicitForm(form.jsonSchema);
  let content: unknown;
  const accepts = async (response: unknown): Promise<boolean> => {
    const { action, content: received } = response as ElicitResult;
    if (action !== 'accept') return true;
    const checked = await form.check(received ?? {});
    if (checked.ok) content = checked.value;
    return checked.ok;
  };
  const request = { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } } as const;
  const { action } = (await inputRequests.request(request, options.key, accepts)) as ElicitResult;
  return action === 'accept' ? { action, content } : { action };
}

/** Asks the user to open a URL. After the user has accepted, waits until the function `until`, if given, returns true. */
export async function elicitUrl(
  inputRequests: InputRequests,
  message: string,
  url: string,
  { key, until }: UrlOptions = {},
): Promise<ElicitAnswer<undefined>> {
  if (!URL.canParse(url)) throw new TypeError('elicitUrl: "url" must be an absolute URL');
  const request = { method: 'elicitation/create', params: { mode: 'url', message, url } } as const;
  const { action } = (await inputRequests.request(request, key)) as ElicitResult;
  if (action !== 'accept') return { action };
  if (until) await waitUntil(inputRequests, until);
  const elicitationId = inputRequests.elicitationId(request);
  if (until && elicitationId) {
    inputRequests.call.exchange.notify('notifications/elicitation/complete', { elicitationId });
  }
  return { action, content: undefined };
}

export async function sample(
  inputRequests: InputRequests,
  params: CreateMessageParams,
  { key }: AskOptions = {},
): Promise<CreateMessageResult> {
  const { includeContext, ...rest } = params;
  const { wire } = inputRequests.call;
  // A client that did not declare `sampling.context` gets no `includeContext`, unless its revision lacks this capability.
  const allowed = !wire.features.samplingContext || inputRequests.call.can('sampling.context');
  const sent = includeContext && (allowed || includeContext === 'none') ? params : rest;
  return (await inputRequests.request({ method: 'sampling/createMessage', params: sent }, key)) as CreateMessageResult;
}

export async function listRoots(inputRequests: InputRequests, { key }: AskOptions = {}): Promise<ListRootsResult> {
  return (await inputRequests.request({ method: 'roots/list' }, key)) as ListRootsResult;
}

async function waitUntil(inputRequests: InputRequests, until: () => boolean | Promise<boolean>): Promise<void> {
  const { signal } = inputRequests.call;
  const started = Date.now();
  while (!(await until())) {
    if (signal.aborted) throw RpcError.internal('The request was cancelled');
    if (inputRequests.viaRetry && Date.now() - started >= URL_POLL_BUDGET_MS) return inputRequests.suspendUntilRetry();
    await sleep(URL_POLL_MS, signal);
  }
}
