/** What an extension can add to a client. All of it is optional; metadata and news are for servers that declared it. */

import type { RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { ExtensionDefinition } from '../protocol/extension.ts';
import type { ServerCapabilities, Settings } from '../protocol/model/capabilities.ts';
import type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
import type { Meta } from '../protocol/model/meta.ts';
import type { ClientMiddleware } from './middleware.ts';
import type { RequestOptions } from './request-options.ts';

/** An extension, as a client takes it: `connect(target, { extensions: [extension] })`. */
export interface ClientExtension extends ExtensionDefinition {
  /** What it does in a client. Without it the extension is only declared. */
  readonly client?: ClientHooks;
}

/** What an extension does in a client. */
export interface ClientHooks {
  /** What is declared to servers beside its name. Default: `{}`. */
  readonly settings?: Settings;
  /** Around every request and notification, like the functions of `Client.use`, inside of those. */
  readonly middleware?: ClientMiddleware;
  /** What it adds to the `_meta` of a request, to a server that declared it. */
  readonly requestMeta?: (method: string, params: Params) => Meta | undefined;
  /** Hears its notifications, by method: those of a server that declared it, which belong to no subscription. */
  readonly notifications?: Readonly<Record<string, (params: Params, peer: ExtensionConnection) => void>>;
  /** A call was refused: the params to make it with once more, or undefined if the error stands. Asked once per call. */
  readonly retry?: (
    error: RpcError,
    call: Pick<ExtensionCall, 'method' | 'params'>,
    peer: ExtensionConnection,
  ) => Params | undefined;
  /** Turns a result of a type of its own into the result the caller waits for. */
  readonly resultTypes?: Readonly<Record<string, ResultResolver>>;
}

/** A call that was answered with a result of an extension's type. */
export interface ExtensionCall {
  readonly method: string;
  /** As the call was made. */
  readonly params: Params;
  readonly options: RequestOptions;
  /** How errors name it. */
  readonly label: string;
  /** Aborted when the caller gives up or the connection is closed for good. */
  readonly signal: AbortSignal;
}

/** Gives the result of the call in the end; it is read and checked as if the server had answered with it at once. */
export type ResultResolver = (
  result: Readonly<Record<string, unknown>>,
  call: ExtensionCall,
  peer: ExtensionConnection,
) => Promise<Record<string, unknown>>;

/** An answer of whichever type: `complete`, or one that an extension adds. */
export interface RawResult {
  readonly resultType: string;
  readonly result: Record<string, unknown>;
}

/** A `subscriptions/listen` that the server acknowledged. */
export interface Subscription {
  /** What the server said it will tell of. */
  readonly accepted: Readonly<Record<string, unknown>>;
  /** Settles when it is over: closed here, ended by the server, or lost with the connection. */
  readonly closed: Promise<void>;
  /** Stops listening. */
  close(): void;
}

/** What extensions can do with a connection. `Connection` is one. */
export interface ExtensionConnection {
  /** The protocol revision spoken. */
  readonly revision: string;
  readonly serverCapabilities: ServerCapabilities;
  /** Calls any method and gives its result. */
  request(method: string, params?: Params, options?: RequestOptions): Promise<Record<string, unknown>>;
  /** The same, but gives a result of an extension's type as it came. Questions are answered on the way. */
  requestRaw(method: string, params?: Params, options?: RequestOptions): Promise<RawResult>;
  /** Answers a question of the server's, wherever it stood, by the handlers of this connection. */
  respondToInput(
    question: InputRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<InputResponse>;
  /** Reads and checks what is the result of a call, but came another way. */
  accept(method: string, params: Params, result: unknown): Promise<Record<string, unknown>>;
  /**
   * Opens a `subscriptions/listen` of its own. Resolves when the server has acknowledged it. Only revisions from
   * 2026-07-28 on have it.
   */
  listen(
    notifications: Readonly<Record<string, unknown>>,
    listener: (method: string, params: Params) => void,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Subscription>;
}
