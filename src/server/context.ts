/** `Context`: the second argument of handlers, and its option types. */

import type { Params } from '../jsonrpc/message.ts';
import type { ClientCapabilities, ClientCapabilityName } from '../protocol/model/capabilities.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
import type { Meta, Trace } from '../protocol/model/meta.ts';
import type { ListRootsResult } from '../protocol/model/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../protocol/model/sampling.ts';
import type { Principal } from '../protocol/principal.ts';
import type { AnySchema, InferOutput } from '../schema/local/infer.ts';
import type { Log } from './logging.ts';

/** Options of the `Context` methods that send an input request (elicitation, sampling, roots) to the client. */
export interface AskOptions {
  /**
   * Key by which a rerun of the handler finds the response to the input request, unique within the call. Default: the position
   * among the input requests of the same method. Set `key` if a rerun can send the input requests in a different order.
   */
  readonly key?: string;
}

/** Second argument of `ctx.ask`: the key of the input request, and a signal that cancels the input request. */
export interface RawAskOptions extends AskOptions {
  /** Cancels the input request. Ignored on 2026-07-28, where results carry the input requests, unless the call is a task. */
  readonly signal?: AbortSignal;
}

/** Last argument of `ctx.elicitUrl`: the key of the input request, and a function that checks if the user has finished. */
export interface UrlOptions extends AskOptions {
  /** Returns true once the user has finished on the page. After `accept`, `elicitUrl` calls it every 500 ms until then. */
  readonly until?: () => boolean | Promise<boolean>;
}

/** The user's response to an elicitation. `cancel` means that the user dismissed the elicitation without a choice. */
export type ElicitAnswer<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** Identifies the session of a client. Only revisions up to 2025-11-25 have sessions. */
export interface SessionKey {
  /** Unique id, the same on every node until the session ends. Not the `Mcp-Session-Id`, which is secret. */
  readonly id: string;
}

/** The second argument of handlers: the request or notification, its caller, and methods that send messages to the client. */
export interface Context {
  readonly method: string;
  /** The params as the client sent them, without defaults and transformations of the input schema. */
  readonly params: Params;
  /** Aborts on cancellation, disconnection or a timeout, and when the server closes. In a task: when the task is cancelled. */
  readonly signal: AbortSignal;
  /** The authenticated principal of the request; undefined without authentication. */
  readonly auth: Principal | undefined;
  /** Name and version that the client sent. Not verified. */
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Protocol revision of the request, such as `2025-11-25`. */
  readonly revision: string;
  /**
   * The client's session; undefined on 2026-07-28 and if the server keeps no sessions. Use `ctx.session.id` as a key for state
   * of your own. Without a session, key state by `ctx.auth`, or by ids that tools return and accept as arguments.
   */
  readonly session: SessionKey | undefined;
  /**
   * Header fields of the HTTP request, keyed by lower-case name; undefined on other transports. If the request is authenticated
   * (`auth` is set), `authorization` and `dpop` are removed.
   */
  readonly headers: ReadonlyMap<string, string> | undefined;
  readonly meta: Meta;
  /** W3C trace context from the `_meta` of the request. */
  readonly trace: Trace;
  /** True if the client declared the capability, such as `elicitation.url`, and the revision of the request has it. */
  can(capability: ClientCapabilityName): boolean;
  /** Sends `notifications/progress` if the request has a `progressToken`. Values that do not increase are dropped. */
  reportProgress(progress: number, total?: number, message?: string): void;
  /** Sends log messages. Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. Use stderr. */
  readonly log: Log;
  /** Asks the user to fill in a form. If accepted content does not match `schema`, the client gets the form again. */
  elicit<const S extends AnySchema>(
    message: string,
    schema: S,
    options?: AskOptions,
  ): Promise<ElicitAnswer<InferOutput<S>>>;
  /** Asks the user to open a URL, for data that must not pass through the client. `accept` only means consent to open it. */
  elicitUrl(message: string, url: string, options?: UrlOptions): Promise<ElicitAnswer<undefined>>;
  /** Samples the client's model. Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. */
  sample(params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult>;
  /** Requests the client's roots. Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on. */
  listRoots(options?: AskOptions): Promise<ListRootsResult>;
  /** Sends an input request of any kind and resolves to the client's response, which no schema validates. */
  ask(request: InputRequest, options?: RawAskOptions): Promise<InputResponse>;
  /** Sends a custom notification that belongs to this request. Does nothing after the response was sent. */
  notify(method: string, params?: Params): void;
  /**
   * Answers the call with a task while the handler continues, if the client supports tasks and the tool has `detach: 'manual'`.
   * Later input requests go through the task. Resolves to true if the call is a task now.
   */
  detach(): Promise<boolean>;
  /**
   * Runs `fn` once per call and records its JSON result. If the handler runs again, `step` returns the recorded result. On
   * 2026-07-28, a handler runs again from the start after each input response.
   */
  step<T>(name: string, fn: () => T | Promise<T>): Promise<T>;
  /** Responses to the input requests that the handler returned with `inputRequired`, under the same keys. Untrusted input. */
  readonly inputResponses: ReadonlyMap<string, InputResponse>;
  /** The `state` that the previous run of the handler passed to `inputRequired`; undefined in the first run. */
  readonly state: unknown;
}
