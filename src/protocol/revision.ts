/** `Revision`: encoding and decoding of messages in one revision. `stateful/` and `stateless/` implement it. */

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

/** The client that sent a request, as it described itself. */
export interface Caller {
  /** Name and version of the client. Unverified: for logs only. */
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Minimum level of the log messages that the client gets; undefined for none. */
  readonly logLevel: LoggingLevel | undefined;
}

/** The caller for whom an entry is listed or looked up. The function `visible` of an entry gets it. */
export interface Viewer {
  readonly principal: Principal | undefined;
  readonly capabilities: Caller['capabilities'];
}

/** The caller that gets change notifications. */
export interface Observer extends Viewer {
  /** True if the caller is exempt from scope checks, because it owns this process (stdio, in-process). */
  readonly trusted: boolean;
}

/** The lists of the protocol, named after the member of the result that has the entries. */
export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** How long clients may cache a result, in milliseconds, and whether a cache may share it between users. */
export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/** The properties of a server that the methods and encoders of revisions need. */
export interface ServerInfo {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  /** Returns the capabilities that the server declares to a principal in a revision, including those of extensions. */
  declaredIn(version: string, principal: Principal | undefined): ServerCapabilities;
  /** Handlers of the fields that extensions add to `subscriptions/listen`, by field name. */
  readonly subscriptions: ReadonlyMap<string, OpenSubscription>;
  /** Versions of the revisions that the server serves, newest first. */
  readonly versions: readonly string[];
  /** Cache hints of the result of `server/discover`. */
  readonly cache: CacheHints;
  /** Calls `listener` for every change that the observer may see, until the returned function is called. */
  watch(listener: (change: ServerEvent) => void, observer: Observer, subscribed?: SubscribedUris): () => void;
}

/** A field of one `subscriptions/listen` request, as an extension accepted it. */
export interface SubscriptionField {
  /** Value of the field in the acknowledgement: the part of the requested value that is accepted. */
  readonly accepted: unknown;
  /**
   * Starts sending notifications, after the acknowledgement was sent. `notify` adds the id of the subscription to `_meta`.
   * Returns a function that stops sending.
   */
  begin(notify: (method: string, params: Params) => void): () => void;
}

/** Validates the requested value of a field of `subscriptions/listen`. Returns undefined if no part of it is accepted. */
export type OpenSubscription = (
  wanted: unknown,
  call: Call,
) => SubscriptionField | undefined | Promise<SubscriptionField | undefined>;

/** One request with its caller, as handlers of a revision's own methods get it. */
export interface Call extends Observer {
  readonly id: Id;
  readonly method: string;
  readonly params: Params;
  /** Protocol version of the revision of the request. */
  readonly revision: string;
  readonly caller: Caller;
  readonly exchange: Exchange;
  /** Information for the encoder of the result. The handler of the method sets it. */
  encodingHints: EncodingHints;
}

/** Handler of a request whose method only stateful or only stateless revisions have, such as `initialize`. */
export type RevisionMethod = (call: Call, server: ServerInfo) => unknown;

/** Handler of a notification whose method only stateful or only stateless revisions have. */
export type RevisionNotification = (params: Params, session: Session) => void;

/** A page of a list whose entries are already encoded. */
export interface EncodedPage {
  readonly kind: ListKind;
  /** The entries, each as JSON text. */
  readonly items: readonly string[];
  readonly nextCursor: string | undefined;
  readonly cache: CacheHints;
}

/** Information that the encoder of a result needs and that the result does not contain. */
export interface EncodingHints {
  readonly cache?: CacheHints | undefined;
  /** Value of `resultType` in the encoded result. Default: `complete`. A `resultType` in the result of a handler is ignored. */
  readonly resultType?: string;
  /** Output schema of the called tool, which decides whether structured content is wrapped. */
  readonly outputSchema?: JsonSchemaObject | undefined;
}

/** The description of a client, sent with each request (stateless revisions) or with `initialize` (stateful revisions). */
export interface ClientInfo {
  readonly info: Implementation;
  readonly capabilities: Caller['capabilities'];
  readonly logLevel: Caller['logLevel'];
  /** Extensions of the client. Each is declared only in the revisions that it names. */
  readonly extensions?: readonly Declaration[];
}

/** A decoded result: complete, with input requests, or of a `resultType` that an extension handles. */
export type Decoded =
  | { readonly type: 'complete'; readonly result: Record<string, unknown> }
  | { readonly type: 'other'; readonly resultType: string; readonly result: Record<string, unknown> }
  | {
      readonly type: 'input_required';
      readonly requests: ReadonlyMap<string, InputRequest>;
      readonly state: string | undefined;
    };

/** One revision, as servers use it. */
export interface Revision {
  readonly features: RevisionFeatures;
  readonly methods: ReadonlyMap<string, RevisionMethod>;
  readonly notifications: ReadonlyMap<string, RevisionNotification>;
  /** Returns the client that sent a request. Throws an `RpcError` if the request's `_meta` is malformed. */
  callerOf(params: Params, session: Session | undefined): Caller;
  /** Encodes one entry of a list, without members that the revision does not have. */
  encodeListEntry(kind: ListKind, item: object): object;
  /** Encodes a page of a list as the result of its request. */
  encodePage(page: EncodedPage, server: ServerInfo): EncodedJson;
  /** Encodes the result of a handler. `row` is undefined for methods that the protocol does not have. */
  encodeResult(row: MethodRow | undefined, result: object, hints: EncodingHints, server: ServerInfo): object;
  /** Encodes an error of a handler. Invalid arguments of a tool become a result with `isError` in some revisions. */
  encodeError(error: RpcError): { readonly error: ErrorObject } | { readonly result: object };
  /** Encodes an input request. Throws an `RpcError` if the revision does not have this kind of input request. */
  encodeInputRequest(request: InputRequest): { readonly method: string; readonly params?: Params };
  /** Encodes the params of `notifications/progress`. */
  encodeProgress(params: { progressToken: Id; progress: number; total?: number; message?: string }): Params;
  /** Returns the notification that tells a session of a change; undefined if the session does not get one. */
  notificationOf(change: ServerEvent, session: Session): Notification | undefined;
}

/** One revision, as clients use it. */
export interface ClientRevision {
  readonly features: RevisionFeatures;
  /** Encodes the capabilities of the client, without those that the revision does not have. */
  encodeCapabilities(capabilities: Caller['capabilities']): Caller['capabilities'];
  /** Encodes the response to an input request with this method. */
  encodeInputResponse(method: string, response: InputResponse): InputResponse;
  /** Encodes the params of a request. `meta` is added to their `_meta`. */
  encodeRequest(params: Params | undefined, client: ClientInfo, meta?: Meta): Params | undefined;
  /** Decodes a result. Throws a `ConnectionError` if it is malformed. */
  decodeResult(method: string, result: unknown): Decoded;
}
