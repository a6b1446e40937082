/** Answers to what a server asks: one set of handlers, whichever way the questions arrive. */

import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import { hasCapability } from '../protocol/capabilities.ts';
import { capabilityFor, isInputResponse } from '../protocol/input-requests.ts';
import type { ClientCapabilities, ClientCapabilityName } from '../protocol/model/capabilities.ts';
import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from '../protocol/model/elicitation.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
import type { ListRootsResult, Root } from '../protocol/model/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../protocol/model/sampling.ts';
import { stringParam } from '../protocol/params.ts';
import { formAnswer, receivedForm, urlAnswer } from './form-answer.ts';

/** What a handler knows beside the question. */
export interface QuestionContext {
  /** Ends when the server takes the question back, the call is given up or the connection ends. */
  readonly signal: AbortSignal;
  /** Who asks, as it says of itself. */
  readonly server: Implementation | undefined;
}

/** What a client does when it is asked. Only what is here is declared to servers. */
export interface AnswerHandlers {
  /**
   * Shows a form, or asks for consent to open a page. Nothing is ever opened or sent but what this gives: say who asks,
   * let the person decline, and show the whole URL. Fields that are left out get the form's defaults.
   */
  readonly onElicit?: (
    params: ElicitFormParams | ElicitUrlParams,
    ctx: QuestionContext,
  ) => ElicitResult | Promise<ElicitResult>;
  /**
   * Asks the model.
   * Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on.
   */
  readonly onSample?: (
    params: CreateMessageParams,
    ctx: QuestionContext,
  ) => CreateMessageResult | Promise<CreateMessageResult>;
  /**
   * Names the folders servers may look at, whenever one asks.
   * Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on.
   */
  readonly onListRoots?: (ctx: QuestionContext) => ListRootsResult | Promise<ListRootsResult>;
  /**
   * The folders servers may look at, where no `onListRoots` is needed to find out.
   * Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on.
   */
  readonly roots?: readonly Root[];
}

/** What a client with these handlers can do. */
export function capabilitiesOf(handlers: AnswerHandlers): ClientCapabilities {
  return {
    ...(handlers.onElicit ? { elicitation: { form: {}, url: {} } } : {}),
    ...(handlers.onSample ? { sampling: { tools: {}, context: {} } } : {}),
    ...(handlers.onListRoots || handlers.roots ? { roots: { listChanged: true } } : {}),
  };
}

/** True if there is a handler for this question. */
export function canAnswer(method: string, handlers: AnswerHandlers): boolean {
  if (method === 'elicitation/create') return handlers.onElicit !== undefined;
  if (method === 'sampling/createMessage') return handlers.onSample !== undefined;
  return method === 'roots/list' && (handlers.onListRoots ?? handlers.roots) !== undefined;
}

/**
 * Answers one question. Throws an RpcError if the server is to be told why there is no answer, and a TypeError if the
 * handler's answer is wrong: that is for the error report, the server is told no details.
 */
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

// Of a feature the client has not at all the method does not exist; of one it has in part the params are wrong.
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
  // The first revision with forms does not say that it is one.
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

/** Throws a TypeError that names the first root whose URI is none; `source` is where the roots come from. */
export function checkRoots(roots: readonly Root[], source: string): void {
  const wrong = roots.findIndex(({ uri }) => !/^file:\/\//i.test(uri) || !URL.canParse(uri));
  if (wrong >= 0) throw new TypeError(`${source}: /roots/${wrong}/uri must be a file:// URI`);
}

/** What a person can be sent to. A user name in front of the host makes it look like another one. */
function isWebAddress(text: string): boolean {
  // What is no part of an address may make it look like another one: spaces, backslashes, letters that turn the text.
  if (text.length > LONGEST_ADDRESS || !/^https?:\/\/[!-[\]-~]+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}
