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

/** Options of all methods of `Context` that send an input request to the client. */
export interface AskOptions {
  /**
   * Identifies the input request within its call, so that a rerun of the handler finds its response. Default: its position among
   * the input requests of the same method. Needed only if a rerun may send them in another order.
   */
  readonly key?: string;
}

/** Options of `ctx.ask`. */
export interface RawAskOptions extends AskOptions {
  /** Cancels the input request. No effect where it is sent as the result of the call (2026-07-28, except in tasks). */
  readonly signal?: AbortSignal;
}

/** Options of `ctx.elicitUrl`. */
export interface UrlOptions extends AskOptions {
  /** Returns true when the user has finished on the page. `elicitUrl` calls it repeatedly and resolves only after that. */
  readonly until?: () => boolean | Promise<boolean>;
}

/** The user's response to an elicitation: accepted with content, declined, or dismissed. */
export type ElicitAnswer<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** The session of a client. */
export interface SessionKey {
  /** Id of the session: unique, and the same on every node until the session ends. It is not the `Mcp-Session-Id`. */
  readonly id: string;
}

/** A request or notification as its handler sees it: the caller, cancellation, and ways to reach the client. */
export interface Context {
  /** The method of the request or notification. */
  readonly method: string;
  /** The params as the client sent them. */
  readonly params: Params;
  /** Aborts when the client cancels or disconnects, or the server closes; in a task, when the task is cancelled. */
  readonly signal: AbortSignal;
  /** The authenticated principal of the request. Undefined without authentication. */
  readonly auth: Principal | undefined;
  /** Name and version that the client claims. Not authenticated. */
  readonly client: Implementation | undefined;
  /** The capabilities that the client declared. */
  readonly capabilities: ClientCapabilities;
  /** The protocol revision of the request. */
  readonly revision: string;
  /**
   * The client's session, on revisions up to 2025-11-25 if the server keeps sessions: use `ctx.session.id` as a key for your own
   * state. Otherwise undefined: key state by `ctx.auth`, or by ids that tools return and take as arguments.
   */
  readonly session: SessionKey | undefined;
  /** HTTP header fields of the request, names in lower case. Undefined on other transports. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** The request's `_meta`. */
  readonly meta: Meta;
  /** W3C trace context of the request, from its `_meta`. */
  readonly trace: Trace;
  /** True if the client supports the capability, such as `elicitation.url` or `sampling`, and the revision has it. */
  can(capability: ClientCapabilityName): boolean;
  /** Sends `notifications/progress`, if the request has a `progressToken`. Values that do not increase are dropped. */
  reportProgress(progress: number, total?: number, message?: string): void;
  /**
   * Sends log messages to the client, if its log level includes them.
   * Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. Log to stderr, or use OpenTelemetry.
   */
  readonly log: Log;
  /** Asks the user to fill in a form. The content of an accepted response fits the schema. */
  elicit<const S extends AnySchema>(
    message: string,
    schema: S,
    options?: AskOptions,
  ): Promise<ElicitAnswer<InferOutput<S>>>;
  /** Asks the user to open a URL, for data that must not pass through the client. `accept` means consent to open it. */
  elicitUrl(message: string, url: string, options?: UrlOptions): Promise<ElicitAnswer<undefined>>;
  /**
   * Asks the client to sample its model.
   * Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. Call a model provider directly.
   */
  sample(params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult>;
  /**
   * Asks the client for its roots: the folders that the server may use.
   * Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on. Take paths as tool arguments.
   */
  listRoots(options?: AskOptions): Promise<ListRootsResult>;
  /** Sends any input request and returns the response as the client sent it. `elicit`, `sample` and others are based on it. */
  ask(request: InputRequest, options?: RawAskOptions): Promise<InputResponse>;
  /** Sends a custom notification that belongs to this request. Nothing is sent after the response. */
  notify(method: string, params?: Params): void;
  /**
   * In a tool with `detach: 'manual'`: answers the call with a task, if the client supports tasks, while the handler continues.
   * Later input requests go through the task. Resolves to true if the call is a task now.
   */
  detach(): Promise<boolean>;
  /**
   * Runs `fn` once per call, even if the handler runs again: its JSON result is stored and returned in later runs. On stateless
   * revisions a handler runs again from the start after each input response.
   */
  step<T>(name: string, fn: () => T | Promise<T>): Promise<T>;
  /** Input responses to the requests that the handler returned with `inputRequired`, by key. Untrusted, like arguments. */
  readonly inputResponses: ReadonlyMap<string, InputResponse>;
  /** The `state` that the previous run of the handler passed to `inputRequired`. */
  readonly state: unknown;
}
