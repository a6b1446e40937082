/** How one revision puts calls, results and questions on the wire. Two families implement it; handlers never see it. */

import type { RpcError } from '../jsonrpc/errors.ts';
import type { EncodedJson, ErrorObject, Id, Notification, Params } from '../jsonrpc/message.ts';
import type { Exchange } from './exchange.ts';
import type { Declaration } from './extension.ts';
import type { MethodRow } from './methods.ts';
import type { ClientCapabilities, ServerCapabilities } from './model/capabilities.ts';
import type { ServerEvent, SubscribedUris } from './model/changes.ts';
import type { Implementation } from './model/implementation.ts';
import type { InputRequest, InputResponse } from './model/input-requests.ts';
import type { LoggingLevel } from './model/logging.ts';
import type { Meta } from './model/meta.ts';
import type { JsonSchemaObject } from './model/tools.ts';
import type { Principal } from './principal.ts';
import type { RevisionFeatures } from './revisions.ts';
import type { Session } from './session.ts';

/** The client as one request shows it. */
export interface Caller {
  /** What the client says of itself: for logs, never for decisions. */
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The least severe log message the client wants; undefined wants none. */
  readonly logLevel: LoggingLevel | undefined;
}

/** Who is looking: all that visibility may depend on. */
export interface Viewer {
  readonly principal: Principal | undefined;
  readonly capabilities: Caller['capabilities'];
}

/** A viewer that change notifications are sent to. */
export interface Observer extends Viewer {
  /** No scopes are required of it. */
  readonly trusted: boolean;
}

/** The lists of the protocol, by the member that holds the items. */
export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** How long and by whom a result may be kept. */
export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/** What a revision may know of the server it speaks for. */
export interface ServerInfo {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  /** What a caller of this revision is told of them, and of extensions. */
  declaredIn(version: string, principal: Principal | undefined): ServerCapabilities;
  /** Fields of `subscriptions/listen` that extensions add. */
  readonly subscriptions: ReadonlyMap<string, OpenSubscription>;
  /** The revisions served, newest first. */
  readonly versions: readonly string[];
  /** How long `server/discover` may be kept. */
  readonly cache: CacheHints;
  /** Calls `listener` for every change that the observer may see, until the returned function is called. */
  watch(listener: (change: ServerEvent) => void, observer: Observer, subscribed?: SubscribedUris): () => void;
}

/** A field of `subscriptions/listen` that an extension accepted. */
export interface SubscriptionField {
  /** Value of the field in the acknowledgement: the accepted part of the request. */
  readonly accepted: unknown;
  /**
   * Starts sending notifications, after the acknowledgement. Returns the function that stops it. `notify` adds the id of the
   * subscription to `_meta`.
   */
  begin(notify: (method: string, params: Params) => void): () => void;
}

/** Validates a requested field; undefined if nothing of it is accepted. */
export type OpenSubscription = (
  wanted: unknown,
  call: Call,
) => SubscriptionField | undefined | Promise<SubscriptionField | undefined>;

/** One request, as a revision's own methods see it. */
export interface Call extends Observer {
  readonly id: Id;
  readonly method: string;
  readonly params: Params;
  /** The revision it speaks. */
  readonly revision: string;
  readonly caller: Caller;
  readonly exchange: Exchange;
  /** What the encoder has to know of the result; set by whoever made it. */
  encodingHints: EncodingHints;
}

/** A method that belongs to the revision itself, not to the server's features. */
export type RevisionMethod = (call: Call, server: ServerInfo) => unknown;

/** A notification that belongs to the revision itself. */
export type RevisionNotification = (params: Params, session: Session) => void;

/** A page of a list whose items are encoded already. */
export interface EncodedPage {
  readonly kind: ListKind;
  readonly items: readonly string[];
  readonly nextCursor: string | undefined;
  readonly cache: CacheHints;
}

/** What the encoder of a result has to know beside the result. */
export interface EncodingHints {
  readonly cache?: CacheHints | undefined;
  /** What kind of result it is, if not the complete one: never read from what a handler gave. */
  readonly resultType?: string;
  /** The schema of a tool's structured result. */
  readonly outputSchema?: JsonSchemaObject | undefined;
}

/** What a client says with each request, or once when it opens a session. */
export interface ClientInfo {
  readonly info: Implementation;
  readonly capabilities: Caller['capabilities'];
  readonly logLevel: Caller['logLevel'];
  /** Extensions, each declared in the revisions that have it. */
  readonly extensions?: readonly Declaration[];
}

/** A result as the client's code sees it, the questions to answer before there is one, or what only an extension can read. */
export type Decoded =
  | { readonly type: 'complete'; readonly result: Record<string, unknown> }
  | { readonly type: 'other'; readonly resultType: string; readonly result: Record<string, unknown> }
  | {
      readonly type: 'input_required';
      readonly requests: ReadonlyMap<string, InputRequest>;
      readonly state: string | undefined;
    };

/** One revision of the protocol, as servers speak it. */
export interface Revision {
  readonly features: RevisionFeatures;

  readonly methods: ReadonlyMap<string, RevisionMethod>;
  readonly notifications: ReadonlyMap<string, RevisionNotification>;
  /** Who is calling; throws `RpcError` if the request does not say it as it must. */
  callerOf(params: Params, session: Session | undefined): Caller;
  /** One entry of a list. */
  encodeListEntry(kind: ListKind, item: object): object;
  /** A page of such entries. */
  encodePage(page: EncodedPage, server: ServerInfo): EncodedJson;
  /** The result of a handler in this revision. `row` is the method's, undefined for methods that the protocol does not have. */
  encodeResult(row: MethodRow | undefined, result: object, features: EncodingHints, server: ServerInfo): object;
  /** What a handler threw: an error, or for some errors of tools a result. */
  encodeError(error: RpcError): { readonly error: ErrorObject } | { readonly result: object };
  /** The method and params of an input request; throws `RpcError` if the revision does not have it. */
  encodeInputRequest(question: InputRequest): { readonly method: string; readonly params?: Params };
  /** Params of `notifications/progress`. */
  encodeProgress(params: { progressToken: Id; progress: number; total?: number; message?: string }): Params;
  /** The notification that tells a session of a change, if it wants to know. */
  deliver(change: ServerEvent, session: Session): Notification | undefined;
}

/** The same revision as clients speak it. */
export interface ClientRevision {
  readonly features: RevisionFeatures;
  /** What a client declares, as far as this revision has words for it. */
  encodeCapabilities(capabilities: Caller['capabilities']): Caller['capabilities'];
  /** The answer to a question, as a client of this revision sends it. */
  encodeInputResponse(method: string, answer: InputResponse): InputResponse;
  /** Params of a request as a client of this revision sends them, with this added to their `_meta`. */
  encodeRequest(params: Params | undefined, client: ClientInfo, meta?: Meta): Params | undefined;
  /** A result as a client of this revision reads it; throws if it is not one. */
  decodeResult(method: string, result: unknown): Decoded;
}
