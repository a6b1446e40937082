/** The talk with one server: requests go out, answers, questions and news come in. */

import { ConnectionError, type ParseError, RpcError } from '../jsonrpc/errors.ts';
import {
  type Id,
  isBatch,
  isObject,
  isRequest,
  isResponse,
  type Message,
  type Notification,
  type Params,
  type Request,
  type Response,
} from '../jsonrpc/message.ts';
import { type OutgoingOptions, OutgoingRequests, type Patience } from '../jsonrpc/outgoing.ts';
import type { Payload } from '../jsonrpc/parse.ts';
import type { Receiver, Transport } from '../jsonrpc/transport.ts';
import type { ClientCapabilities, ServerCapabilities } from '../protocol/model/capabilities.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import type { LoggingLevel } from '../protocol/model/logging.ts';
import type { Answer, Question } from '../protocol/model/questions.ts';
import { revisionNamed } from '../protocol/pick.ts';
import type { ClientFacts, Revision } from '../protocol/revision.ts';
import { initializeParams } from '../protocol/stateful/requests.ts';
import { LATEST_VERSION, type ProtocolVersion } from '../protocol/versions.ts';
import { type AnswerHandlers, answerQuestion, capabilitiesOf } from './answering.ts';

/** Options of a connection. */
export interface ConnectionOptions extends AnswerHandlers, Patience {
  /** The protocol revision to speak. */
  readonly revision?: ProtocolVersion;
  /** What this client says of itself. */
  readonly info?: Implementation;
  /** What is declared to servers, if not what follows from the handlers. */
  readonly capabilities?: ClientCapabilities;
  /**
   * The least severe log message wanted.
   * @deprecated SEP-2577: logging may be removed from 2027-07-28 on.
   */
  readonly logLevel?: LoggingLevel;
  /** Gets every notification that belongs to no call of ours. */
  readonly onNotification?: (notification: Notification) => void;
  /** Gets what goes wrong without a call to tell it to. */
  readonly onError?: (error: Error) => void;
}

/** Options of one call. */
export interface RequestOptions extends OutgoingOptions {
  readonly onProgress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

const MAX_ROUNDS = 10;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5000;
const LONGEST_CALL = 30 * 60_000;
const DEFAULT_INFO: Implementation = { name: 'mcpp', version: '0.1.0' };

/** Sends requests in the way of a revision, and answers what the server asks. */
export class Conversation implements Receiver {
  /** What the server can do. */
  serverCapabilities: ServerCapabilities = {};
  /** What the server says of itself. */
  serverInfo: Implementation | undefined;
  /** How to use the server, for the model. */
  instructions: string | undefined;
  readonly #transport: Transport;
  readonly #options: ConnectionOptions;
  readonly #revision: Revision;
  readonly #client: ClientFacts;
  readonly #outgoing: OutgoingRequests;
  readonly #progress = new Map<Id, NonNullable<RequestOptions['onProgress']>>();
  readonly #answering = new Map<Id, AbortController>();

  private constructor(transport: Transport, revision: Revision, options: ConnectionOptions) {
    this.#transport = transport;
    this.#revision = revision;
    this.#options = options;
    this.#client = {
      info: options.info ?? DEFAULT_INFO,
      capabilities: options.capabilities ?? capabilitiesOf(options),
      logLevel: options.logLevel,
    };
    const cancel = (requestId: Id, method: string, reason: string): void => {
      if (method !== 'initialize') this.notify('notifications/cancelled', { requestId, reason });
    };
    this.#outgoing = new OutgoingRequests({ send: (request) => transport.send(request), cancel }, options);
  }

  /** Connects, and says hello in the way of the revision. */
  static async open(transport: Transport, options: ConnectionOptions = {}): Promise<Conversation> {
    const { revision: version = LATEST_VERSION } = options;
    const revision = revisionNamed(version);
    if (!revision) throw new TypeError(`Unknown protocol revision "${version}"`);
    const conversation = new Conversation(transport, revision, options);
    await transport.connect(conversation);
    try {
      await conversation.#greet();
    } catch (error) {
      await conversation.close();
      throw error;
    }
    return conversation;
  }

  /** The protocol revision spoken. */
  get revision(): string {
    return this.#revision.facts.version;
  }

  /** Calls a method and gives its result. Questions that stand before the result are answered on the way. */
  async request(method: string, params?: Params, options: RequestOptions = {}): Promise<Record<string, unknown>> {
    const started = Date.now();
    let answers: Params = {};
    let rounds = 0;
    for (let leg = 0; rounds <= MAX_ROUNDS; leg++) {
      const decoded = this.#revision.decodeResult(method, await this.#send(method, { ...params, ...answers }, options));
      if (decoded.type === 'complete') return decoded.result;
      if (decoded.requests.size > 0) rounds++;
      else await this.#giveTime(method, started, leg, options);
      const inputResponses = await this.#answerAll(decoded.requests);
      answers = {
        ...(decoded.requests.size > 0 ? { inputResponses } : {}),
        ...(decoded.state === undefined ? {} : { requestState: decoded.state }),
      };
    }
    throw new ConnectionError('failed', `${method}: the server asked more than ${MAX_ROUNDS} times`);
  }

  /** Sends a notification. */
  notify(method: string, params?: Params): void {
    if (!this.#transport.connected) return;
    this.#post(params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method });
  }

  /** Ends the connection; calls that wait are rejected. */
  async close(): Promise<void> {
    this.#outgoing.close();
    await this.#transport.disconnect();
  }

  onMessage(payload: Payload): void {
    if (isBatch(payload)) for (const one of payload as readonly (Message | ParseError)[]) this.onMessage(one);
    else if (payload instanceof Error) this.#takeUnreadable(payload);
    else if (isRequest(payload as Message)) void this.#takeRequest(payload as Request);
    else if (isResponse(payload as Message)) this.#outgoing.settle(payload as never);
    else this.#takeNotification(payload as Notification);
  }

  onError(error: Error): void {
    this.#options.onError?.(error);
  }

  onClose(cause?: Error): void {
    this.#outgoing.close(new ConnectionError('closed', 'The connection is closed', { cause }));
    for (const abort of this.#answering.values()) abort.abort();
  }

  async #greet(): Promise<void> {
    if (this.#revision.facts.family === 'stateless') return;
    const params = initializeParams(this.#client, this.#revision.facts);
    const result = await this.#outgoing.request('initialize', params);
    const { protocolVersion, capabilities, serverInfo, instructions } = isObject(result) ? result : {};
    if (protocolVersion !== this.revision) {
      throw new ConnectionError('failed', `The server does not speak protocol revision ${this.revision}`);
    }
    this.serverCapabilities = isObject(capabilities) ? capabilities : {};
    this.serverInfo = serverInfo as Implementation;
    this.instructions = typeof instructions === 'string' ? instructions : undefined;
    this.notify('notifications/initialized');
    const { logLevel } = this.#client;
    if (logLevel) await this.request('logging/setLevel', { level: logLevel });
  }

  async #send(method: string, params: Params, { onProgress, ...options }: RequestOptions): Promise<unknown> {
    let token: Id | undefined;
    const encode = (id: Id): Params | undefined => {
      token = id;
      if (onProgress) this.#progress.set(id, onProgress);
      // Asking for progress keeps a long call alive, whether or not the caller wants to see it.
      const meta = isObject(params['_meta']) ? params['_meta'] : {};
      return this.#revision.encodeRequest({ ...params, _meta: { ...meta, progressToken: id } }, this.#client);
    };
    try {
      return await this.#outgoing.request(method, encode, options);
    } finally {
      if (token !== undefined) this.#progress.delete(token);
    }
  }

  // A server that only wants time gets it, but not for ever.
  async #giveTime(method: string, started: number, leg: number, options: RequestOptions): Promise<void> {
    const maximum = options.maxTimeout ?? this.#options.maxTimeout ?? LONGEST_CALL;
    if (Date.now() - started > maximum) {
      throw new ConnectionError('timeout', `${method} timed out: the server wanted more time again and again`);
    }
    await pause(Math.min(FIRST_PAUSE * 2 ** leg, LONGEST_PAUSE));
    if (options.signal?.aborted) throw new ConnectionError('aborted', `${method} was aborted by the caller`);
  }

  async #answerAll(requests: ReadonlyMap<string, Question>): Promise<Record<string, Answer>> {
    const answers = [...requests].map(async ([key, question]) => [key, await answerQuestion(question, this.#options)]);
    return Object.fromEntries(await Promise.all(answers));
  }

  async #takeRequest(request: Request): Promise<void> {
    const { id, method } = request;
    const abort = new AbortController();
    this.#answering.set(id, abort);
    // While the server waits for us, its slowness is ours.
    const goOn = this.#outgoing.pauseAll();
    let response: Response;
    try {
      const result = method === 'ping' ? {} : await answerQuestion(request as unknown as Question, this.#options);
      response = { jsonrpc: '2.0', id, result };
    } catch (error) {
      const failure = error instanceof RpcError ? error : RpcError.internal('The client failed to answer');
      response = { jsonrpc: '2.0', id, error: failure.toObject() };
    }
    goOn();
    this.#answering.delete(id);
    if (!abort.signal.aborted && this.#transport.connected) this.#post(response);
  }

  // Whoever sends this has nobody to tell that it could not be sent.
  #post(message: Message): void {
    try {
      const sent = this.#transport.send(message);
      if (sent) sent.catch((error: Error) => this.onError(error));
    } catch (error) {
      this.onError(error as Error);
    }
  }

  // What the caller's own functions throw is the caller's, and must not end the reading of messages.
  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.onError(error instanceof Error ? error : new Error('A listener failed', { cause: error }));
    }
  }

  #takeNotification(notification: Notification): void {
    const params = isObject(notification.params) ? notification.params : {};
    if (notification.method === 'notifications/progress') this.#takeProgress(params);
    else if (notification.method === 'notifications/cancelled' && this.#answering.has(params['requestId'] as Id)) {
      this.#answering.get(params['requestId'] as Id)?.abort();
    } else this.#tell(() => this.#options.onNotification?.(notification));
  }

  #takeProgress(params: Params): void {
    const { progressToken, progress, total, message } = params;
    if (typeof progress !== 'number') return;
    this.#outgoing.progress(progressToken as Id, progress);
    const report = {
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    };
    this.#tell(() => this.#progress.get(progressToken as Id)?.(report));
  }

  #takeUnreadable(fault: ParseError): void {
    const error = new ConnectionError('malformed', fault.message);
    if (fault.id === undefined || !this.#outgoing.fail(fault.id, error)) this.onError(error);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
