/** Interfaces of client extensions: their hooks, and the connection that hooks receive. */

import type { RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { ExtensionDefinition } from '../protocol/extension-definition.ts';
import type { ServerCapabilities, Settings } from '../protocol/model/capabilities.ts';
import type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
import type { Meta } from '../protocol/model/meta.ts';
import type { ClientMiddleware } from './middleware.ts';
import type { RequestOptions } from './request-options.ts';

/** An extension of a client: `connect(target, { extensions: [extension] })`. */
export interface ClientExtension extends ExtensionDefinition {
  /** Hooks of the extension. Default: none; the extension is only declared to servers. */
  readonly client?: ClientHooks;
}

/** Hooks of an extension in a client, all optional. */
export interface ClientHooks {
  /** Settings of the extension in the client's capabilities. Default: `{}`. */
  readonly settings?: Settings;
  /** Wraps every request and notification, inside the middleware of `Client.use`. */
  readonly middleware?: ClientMiddleware;
  /** Returns members for the `_meta` of a request. Called only if the server declared the extension. */
  readonly requestMeta?: (method: string, params: Params) => Meta | undefined;
  /** Handlers of notifications that belong to no subscription, by method. Called only if the server declared the extension. */
  readonly notifications?: Readonly<Record<string, (params: Params, peer: ExtensionConnection) => void>>;
  /** Called once for each call that failed with an `RpcError`. Returns params for a second attempt, or undefined for none. */
  readonly retry?: (
    error: RpcError,
    call: Pick<ExtensionCall, 'method' | 'params'>,
    peer: ExtensionConnection,
  ) => Params | undefined;
  /** Functions that turn results of the extension's types into the final result, by `resultType`. */
  readonly resultTypes?: Readonly<Record<string, ResultResolver>>;
}

/** A call whose response has a `resultType` of an extension. */
export interface ExtensionCall {
  readonly method: string;
  /** Params of the call, without input responses. */
  readonly params: Params;
  readonly options: RequestOptions;
  /** Name of the call in error messages. */
  readonly label: string;
  /** Aborts when the caller aborts, the call times out, or the connection ends and will not reconnect. */
  readonly signal: AbortSignal;
}

/** Resolves a result of an extension's type to the final result, which is then decoded and validated like any response. */
export type ResultResolver = (
  result: Readonly<Record<string, unknown>>,
  call: ExtensionCall,
  peer: ExtensionConnection,
) => Promise<Record<string, unknown>>;

/** A result with its `resultType`: `complete`, or a type that an extension defines. */
export interface RawResult {
  readonly resultType: string;
  readonly result: Record<string, unknown>;
}

/** A `subscriptions/listen` request that the server has acknowledged. */
export interface Subscription {
  /** The part of the requested notifications that the server has agreed to send. */
  readonly accepted: Readonly<Record<string, unknown>>;
  /** Resolves when the subscription ends: by `close`, by the server, or with the connection. Never rejects. */
  readonly closed: Promise<void>;
  /** Ends the subscription. */
  close(): void;
}

/** The connection that is passed to hooks of extensions. `Connection` implements it. */
export interface ExtensionConnection {
  /** The negotiated protocol revision. */
  readonly revision: string;
  readonly serverCapabilities: ServerCapabilities;
  /** Calls any method and returns the result. Input requests are passed to the handlers of the connection. */
  request(method: string, params?: Params, options?: RequestOptions): Promise<Record<string, unknown>>;
  /** Like `request`, but returns the result with its `resultType`. A result of an extension's type is returned unresolved. */
  requestRaw(method: string, params?: Params, options?: RequestOptions): Promise<RawResult>;
  /** Passes an input request to the handlers of the connection and returns their response. */
  respondToInput(
    question: InputRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<InputResponse>;
  /** Decodes and validates a result of `method` that did not arrive as its response, for instance the result of a task. */
  accept(method: string, params: Params, result: unknown): Promise<Record<string, unknown>>;
  /** Opens a separate `subscriptions/listen`. Resolves when acknowledged. Rejects in revisions before 2026-07-28. */
  listen(
    notifications: Readonly<Record<string, unknown>>,
    listener: (method: string, params: Params) => void,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Subscription>;
}
