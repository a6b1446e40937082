/** Responds to input requests (elicitation, sampling, roots) with the handlers of the client. */

import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import { hasCapability } from '../protocol/capabilities.ts';
import { capabilityFor, isInputResponse } from '../protocol/input-responses.ts';
import type { ClientCapabilities, ClientCapabilityName } from '../protocol/model/capabilities.ts';
import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from '../protocol/model/elicitation.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
import type { ListRootsResult, Root } from '../protocol/model/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../protocol/model/sampling.ts';
import { stringParam } from '../protocol/params.ts';
import { formAnswer, receivedForm, urlAnswer } from './form-answer.ts';

/** Context of a handler that responds to a request from the server. */
export interface QuestionContext {
  /** Aborts when the response is no longer needed: request cancelled, call aborted or timed out, or connection ended. */
  readonly signal: AbortSignal;
  /** Name and version that the server declared. Unverified. */
  readonly server: Implementation | undefined;
}

/** Handlers of input requests. The client declares a capability for each handler, unless the option `capabilities` is set. */
export interface AnswerHandlers {
  /**
   * Handles an elicitation: shows the form, or asks for consent to open the URL. The client itself opens no URL. Show which
   * server asks and the whole URL, and let the user decline. Omitted fields get the form's defaults.
   */
  readonly onElicit?: (
    params: ElicitFormParams | ElicitUrlParams,
    ctx: QuestionContext,
  ) => ElicitResult | Promise<ElicitResult>;
  /**
   * Handles a sampling request: passes the messages to a model and returns the reply of the model.
   * Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on.
   */
  readonly onSample?: (
    params: CreateMessageParams,
    ctx: QuestionContext,
  ) => CreateMessageResult | Promise<CreateMessageResult>;
  /**
   * Returns the roots: folders that servers may access. Called for each `roots/list` request.
   * Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on.
   */
  readonly onListRoots?: (ctx: QuestionContext) => ListRootsResult | Promise<ListRootsResult>;
  /**
   * The roots (folders that servers may access) as a fixed list. Ignored if `onListRoots` is set.
   * Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on.
   */
  readonly roots?: readonly Root[];
}

export function capabilitiesOf(handlers: AnswerHandlers): ClientCapabilities {
  return {
    ...(handlers.onElicit ? { elicitation: { form: {}, url: {} } } : {}),
    ...(handlers.onSample ? { sampling: { tools: {}, context: {} } } : {}),
    ...(handlers.onListRoots || handlers.roots ? { roots: { listChanged: true } } : {}),
  };
}

export function canAnswer(method: string, handlers: AnswerHandlers): boolean {
  if (method === 'elicitation/create') return handlers.onElicit !== undefined;
  if (method === 'sampling/createMessage') return handlers.onSample !== undefined;
  return method === 'roots/list' && (handlers.onListRoots ?? handlers.roots) !== undefined;
}

/** Calls the handler of an input request. A thrown `RpcError` is for the server; other errors must not be sent to it. */
export async function answerQuestion(
  question: InputRequest,
  handlers: AnswerHandlers,
  declared: ClientCapabilities,
  ctx: QuestionContext,
): Promise<InputResponse> {
  const answer = ANSWERS.get(question.method);
  if (!answer) throw RpcError.methodNotFound(question.method);
  const params = paramsOf(question);
  const needed = capabilityFor({ method: question.method, params } as unknown as InputRequest);
  if (!hasCapability(declared, needed)) throw undeclared(needed, declared);
  return answer(params, handlers, ctx);
}

// Returns error -32601 if the client declared nothing of the feature, and -32602 if only a part of it is missing.
function undeclared(needed: ClientCapabilityName, declared: ClientCapabilities): RpcError {
  const [feature = ''] = needed.split('.');
  const code = hasCapability(declared, feature) ? ErrorCode.InvalidParams : ErrorCode.MethodNotFound;
  return new RpcError(code, `This client did not declare the capability "${needed}", which the question needs`);
}

const LONGEST_ADDRESS = 8192;

const ANSWERS: ReadonlyMap<
  string,
  (params: Params, handlers: AnswerHandlers, ctx: QuestionContext) => Promise<InputResponse>
> = new Map([
  ['elicitation/create', elicit],
  ['sampling/createMessage', sample],
  ['roots/list', listRoots],
]);

function paramsOf({ method, params }: { readonly method: string; readonly params?: unknown }): Params {
  const given: Params = isObject(params) ? params : {};
  if (method !== 'elicitation/create') return given;
  // Revision 2025-06-18 has only form elicitation, and no `mode`.
  const { mode = 'form' } = given;
  if (mode !== 'form' && mode !== 'url') throw RpcError.invalidParams('"mode" must be "form" or "url"');
  return { ...given, mode };
}

async function elicit(params: Params, handlers: AnswerHandlers, ctx: QuestionContext): Promise<InputResponse> {
  if (!handlers.onElicit) throw RpcError.methodNotFound('elicitation/create');
  stringParam(params, 'message');
  if (params['mode'] === 'url') {
    if (!isWebAddress(stringParam(params, 'url'))) {
      throw RpcError.invalidParams(
        '"url" must be an absolute http or https URL in ASCII, without a user name or password',
      );
    }
    return urlAnswer(await handlers.onElicit(params as unknown as ElicitUrlParams, ctx));
  }
  const form = receivedForm(params['requestedSchema']);
  return formAnswer(form, await handlers.onElicit(params as unknown as ElicitFormParams, ctx));
}

async function sample(params: Params, handlers: AnswerHandlers, ctx: QuestionContext): Promise<InputResponse> {
  if (!handlers.onSample) throw RpcError.methodNotFound('sampling/createMessage');
  const { messages, maxTokens } = params;
  if (!Array.isArray(messages) || !messages.every(isObject)) {
    throw RpcError.invalidParams('"messages" must be an array of messages');
  }
  if (!Number.isFinite(maxTokens)) throw RpcError.invalidParams('"maxTokens" must be a number');
  const answer: unknown = await handlers.onSample(params as unknown as CreateMessageParams, ctx);
  if (isInputResponse('sampling/createMessage', answer)) return answer;
  throw new TypeError('onSample: the answer must have a "role", a "model" and "content"');
}

async function listRoots(_params: Params, handlers: AnswerHandlers, ctx: QuestionContext): Promise<InputResponse> {
  const { roots } = handlers;
  if (!handlers.onListRoots && !roots) throw RpcError.methodNotFound('roots/list');
  const source = handlers.onListRoots ? 'onListRoots' : 'roots';
  const answer: unknown = handlers.onListRoots ? await handlers.onListRoots(ctx) : { roots };
  if (!isInputResponse('roots/list', answer)) throw new TypeError(`${source}: each of the "roots" must have a "uri"`);
  checkRoots((answer as ListRootsResult).roots, source);
  return answer;
}

/** Throws a TypeError for the first root without a `file://` URI. The message begins with `source`, the option or method. */
export function checkRoots(roots: readonly Root[], source: string): void {
  const wrong = roots.findIndex(({ uri }) => !/^file:\/\//i.test(uri) || !URL.canParse(uri));
  if (wrong >= 0) throw new TypeError(`${source}: /roots/${wrong}/uri must be a file:// URI`);
}

/** Returns true for an http or https URL without credentials. A user name before the host could be mistaken for the host. */
function isWebAddress(text: string): boolean {
  // Only printable ASCII without backslash: spaces, backslashes and bidirectional controls could disguise the host.
  if (text.length > LONGEST_ADDRESS || !/^https?:\/\/[!-[\]-~]+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}
