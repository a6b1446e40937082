/** `Revision`: how one revision encodes and decodes messages. `stateful/` and `stateless/` implement it. */

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

/** The client of one request. */
export interface Caller {
  /** Name and version that the client sent. Unverified: for logs only. */
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Minimum level of the log messages that are sent; undefined sends none. */
  readonly logLevel: LoggingLevel | undefined;
}

/** The argument of `visible`: the caller for whom an entry is listed or looked up. */
export interface Viewer {
  readonly principal: Principal | undefined;
  readonly capabilities: Caller['capabilities'];
}

/** A viewer that gets change notifications. */
export interface Observer extends Viewer {
  /** True if the caller is exempt from scope checks. */
  readonly trusted: boolean;
}

/** The lists of the protocol, by the member of the result that holds the entries. */
export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** How long clients may cache a result, and whether they may share it. */
export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/** The members of a server that revisions need. */
export interface ServerInfo {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  /** Capabilities, including those of extensions, as declared in a revision to a principal. */
  declaredIn(version: string, principal: Principal | undefined): ServerCapabilities;
  /** Fields of `subscriptions/listen` that extensions add. */
  readonly subscriptions: ReadonlyMap<string, OpenSubscription>;
  /** The revisions served, newest first. */
  readonly versions: readonly string[];
  /** Cache hints of `server/discover`. */
  readonly cache: CacheHints;
  /** Calls `listener` for every change that the observer may see, until the returned function is called. */
  watch(listener: (change: ServerEvent) => void, observer: Observer, subscribed?: SubscribedUris): () => void;
}

/** A field of `subscriptions/listen` that an extension accepted. */
export interface SubscriptionField {
  /** Value of the field in the acknowledgement: the accepted part of the request. */
  readonly accepted: unknown;
  /**
   * Starts sending notifications with `notify`, which adds the id of the subscription to `_meta`. Called after the
   * acknowledgement. Returns the function that stops sending.
   */
  begin(notify: (method: string, params: Params) => void): () => void;
}

/** Validates a requested field. Returns undefined if no part of it is accepted. */
export type OpenSubscription = (
  wanted: unknown,
  call: Call,
) => SubscriptionField | undefined | Promise<SubscriptionField | undefined>;

/** One request, as the methods of a revision see it. */
export interface Call extends Observer {
  readonly id: Id;
  readonly method: string;
  readonly params: Params;
  /** Protocol version of the request. */
  readonly revision: string;
  readonly caller: Caller;
  readonly exchange: Exchange;
  /** Information for the encoder of the result. The handler sets it. */
  encodingHints: EncodingHints;
}

/** Handler of a request that exists only in this family of revisions, such as `initialize`. */
export type RevisionMethod = (call: Call, server: ServerInfo) => unknown;

/** Handler of a notification that exists only in this family of revisions. */
export type RevisionNotification = (params: Params, session: Session) => void;

/** A page of a list. */
export interface EncodedPage {
  readonly kind: ListKind;
  /** Entries as JSON text. */
  readonly items: readonly string[];
  readonly nextCursor: string | undefined;
  readonly cache: CacheHints;
}

/** Information that the encoder of a result needs and that is not sent in the result. */
export interface EncodingHints {
  readonly cache?: CacheHints | undefined;
  /** Value of `resultType` in the encoded result. Default: `complete`. A `resultType` in the value of a handler is ignored. */
  readonly resultType?: string;
  /** Output schema of the called tool. */
  readonly outputSchema?: JsonSchemaObject | undefined;
}

/** Properties that a client sends with each request (stateless) or with `initialize` (stateful). */
export interface ClientInfo {
  readonly info: Implementation;
  readonly capabilities: Caller['capabilities'];
  readonly logLevel: Caller['logLevel'];
  /** Extensions, each declared in the revisions that have it. */
  readonly extensions?: readonly Declaration[];
}

/** A decoded result: complete, with input requests, or of a type that an extension handles. */
export type Decoded =
  | { readonly type: 'complete'; readonly result: Record<string, unknown> }
  | { readonly type: 'other'; readonly resultType: string; readonly result: Record<string, unknown> }
  | {
      readonly type: 'input_required';
      readonly requests: ReadonlyMap<string, InputRequest>;
      readonly state: string | undefined;
    };

/** One revision, as servers speak it. */
export interface Revision {
  readonly features: RevisionFeatures;
  readonly methods: ReadonlyMap<string, RevisionMethod>;
  readonly notifications: ReadonlyMap<string, RevisionNotification>;
  /** Returns the client of a request. Throws an `RpcError` if its `_meta` is malformed. */
  callerOf(params: Params, session: Session | undefined): Caller;
  /** Encodes one entry of a list. */
  encodeListEntry(kind: ListKind, item: object): object;
  /** Encodes a page of encoded entries. */
  encodePage(page: EncodedPage, server: ServerInfo): EncodedJson;
  /** Encodes the result of a handler. `row` is undefined for methods that the protocol does not have. */
  encodeResult(row: MethodRow | undefined, result: object, hints: EncodingHints, server: ServerInfo): object;
  /** Encodes an error of a handler. Some errors of tools become results. */
  encodeError(error: RpcError): { readonly error: ErrorObject } | { readonly result: object };
  /** Encodes an input request. Throws an `RpcError` if the revision does not have it. */
  encodeInputRequest(request: InputRequest): { readonly method: string; readonly params?: Params };
  /** Encodes the params of `notifications/progress`. */
  encodeProgress(params: { progressToken: Id; progress: number; total?: number; message?: string }): Params;
  /** Returns the notification of a change for a session; undefined if the session does not get it. */
  notificationOf(change: ServerEvent, session: Session): Notification | undefined;
}

/** One revision, as clients speak it. */
export interface ClientRevision {
  readonly features: RevisionFeatures;
  /** Encodes the capabilities of the client, without those that the revision does not have. */
  encodeCapabilities(capabilities: Caller['capabilities']): Caller['capabilities'];
  /** Encodes an input response. */
  encodeInputResponse(method: string, response: InputResponse): InputResponse;
  /** Encodes the params of a request, with `meta` added to their `_meta`. */
  encodeRequest(params: Params | undefined, client: ClientInfo, meta?: Meta): Params | undefined;
  /** Decodes a result. Throws a `ConnectionError` if it is malformed. */
  decodeResult(method: string, result: unknown): Decoded;
}
