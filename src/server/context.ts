/** `Context`: the second argument of every handler. */

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

/** Options of every question. */
export interface AskOptions {
  /** Names the question within its call. Needed only if the order of questions can differ between two runs. */
  readonly key?: string;
}

/** Options of `ask`. */
export interface RawAskOptions extends AskOptions {
  /** Takes the question back, where the client is asked while the call waits. */
  readonly signal?: AbortSignal;
}

/** Options of `elicitUrl`. */
export interface UrlOptions extends AskOptions {
  /** Tells whether what the page is for has happened. With it, the call goes on only once it has. */
  readonly until?: () => boolean | Promise<boolean>;
}

/** What the person did: filled in the form, said no, or closed it. */
export type ElicitAnswer<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** Names a client's session. */
export interface SessionKey {
  /** Unique, and the same for as long as the session lasts, on every node. It is not the `Mcp-Session-Id`. */
  readonly id: string;
}

/** The second argument of every handler. */
export interface Context {
  /** The method of the request or notification. */
  readonly method: string;
  /** Its params as they arrived. */
  readonly params: Params;
  /** Aborted when the caller gives up or goes away, and when the server closes; in a task, when that is to end. */
  readonly signal: AbortSignal;
  /** The authenticated caller, where the transport authenticates. */
  readonly auth: Principal | undefined;
  /** What the client says of itself; never a reason to trust it. */
  readonly client: Implementation | undefined;
  /** What the client declared. */
  readonly capabilities: ClientCapabilities;
  /** The protocol revision of the request. */
  readonly revision: string;
  /**
   * The client's session, where the revision has sessions (up to 2025-11-25) and the server keeps them: `ctx.session.id` is a
   * key for state of one's own. Undefined otherwise, so keep state by `ctx.auth` or by ids that tools hand out.
   */
  readonly session: SessionKey | undefined;
  /** Header fields of the request, in lower case, where the transport has them. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** The request's `_meta`. */
  readonly meta: Meta;
  /** W3C trace context of the request. */
  readonly trace: Trace;
  /** True if the client can be asked this. */
  can(capability: ClientCapabilityName): boolean;
  /** Tells the client how far the work has got, if it asked to be told. Values that do not increase are dropped. */
  reportProgress(progress: number, total?: number, message?: string): void;
  /**
   * Sends log messages to a client that wants them.
   * Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. Log to stderr, or use OpenTelemetry.
   */
  readonly log: Log;
  /** Asks the person in front of the client to fill in a form. */
  elicit<const S extends AnySchema>(
    message: string,
    schema: S,
    options?: AskOptions,
  ): Promise<ElicitAnswer<InferOutput<S>>>;
  /** Asks the person to open a page, for what must not pass through the client. `accept` means consent. */
  elicitUrl(message: string, url: string, options?: UrlOptions): Promise<ElicitAnswer<undefined>>;
  /**
   * Asks the client's model.
   * Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. Call a model provider directly.
   */
  sample(params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult>;
  /**
   * Asks which folders the client lets the server look at.
   * Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on. Take paths as tool arguments.
   */
  listRoots(options?: AskOptions): Promise<ListRootsResult>;
  /** Asks anything that can be asked, as it is: the layer below `elicit` and the others. */
  ask(question: InputRequest, options?: RawAskOptions): Promise<InputResponse>;
  /** Sends a notification of an extension, or of one's own, that belongs to this request; none once that is answered. */
  notify(method: string, params?: Params): void;
  /**
   * In a tool with `detach: 'manual'`: answers the caller with a task, if the caller can have one, and goes on. What is
   * asked from then on is asked by the task. True if this is a task now.
   */
  detach(): Promise<boolean>;
  /**
   * Does something once per call, however often the handler is run again: the JSON value it gives is remembered.
   * Under stateless revisions a handler runs again from the top after each answer.
   */
  step<T>(name: string, fn: () => T | Promise<T>): Promise<T>;
  /** Answers to the questions that were returned with `inputRequired`, by key. Untrusted, like arguments. */
  readonly inputResponses: ReadonlyMap<string, InputResponse>;
  /** What was passed to `inputRequired` as `state`. */
  readonly state: unknown;
}
