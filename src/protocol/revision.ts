/** `Revision` and `ClientRevision`: encoding and decoding of messages, implemented in `stateful/` and `stateless/`. */

import type { RpcError } from '../jsonrpc/errors.ts';
import type { EncodedJson, ErrorObject, Id, Notification, Params } from '../jsonrpc/message.ts';
import type { Exchange } from './exchange.ts';
import type { Declaration } from './extension-definition.ts';
import type { MethodRow } from './methods.ts';
import type { ClientCapabilities, ServerCapabilities } from './model/capabilities.ts';
import type { ServerEvent, SubscribedUris } from './model/changes.ts';
import type { Implementation } from './model/implementation.ts';
import type { InputRequest, InputResponse } from './model/input-requests.ts';
import type { LoggingLevel } from './model/logging.ts';
import type { Meta } from './model/meta.ts';
import type { CallToolResult, JsonSchemaObject } from './model/tools.ts';
import type { Principal } from './principal.ts';
import type { RevisionFeatures } from './revisions.ts';
import type { Session } from './session.ts';

/** The client of a request, as the client described itself. */
export interface Caller {
  /** Name and version of the client. Unverified: for logs only. */
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Minimum level of log messages to the client. Undefined: the client gets no log messages. */
  readonly logLevel: LoggingLevel | undefined;
}

/** The caller that lists or looks up an entry. Passed to the option `visible` of tools, prompts and resources. */
export interface Viewer {
  readonly principal: Principal | undefined;
  readonly capabilities: Caller['capabilities'];
}

export interface Observer extends Viewer {
  /** True if the caller is exempt from scope checks, because it owns this process (stdio, in-process). */
  readonly trusted: boolean;
}

export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** Cache lifetime of a result in milliseconds, and whether a cache may share the result between users. */
export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

export interface ServerInfo {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  /** Returns the capabilities that the server declares to a principal, including extensions that the revision allows. */
  declaredIn(version: string, principal: Principal | undefined): ServerCapabilities;
  /** Handlers of the fields that extensions add to the filter of `subscriptions/listen`, keyed by field name. */
  readonly subscriptions: ReadonlyMap<string, OpenSubscription>;
  /** Served protocol versions, newest first. */
  readonly versions: readonly string[];
  /** Cache hints of the result of `server/discover`. */
  readonly cache: CacheHints;
  /** Calls `listener` for every change that the observer may see. Returns a function that stops the calls. */
  watch(listener: (change: ServerEvent) => void, observer: Observer, subscribed?: SubscribedUris): () => void;
}

/** A field that an extension adds to the filter of `subscriptions/listen`, as accepted for one request. */
export interface SubscriptionField {
  /** Value of the field in `notifications/subscriptions/acknowledged`: the accepted part of the requested value. */
  readonly accepted: unknown;
  /** Called after the acknowledgement, to start notifications. `notify` adds the subscription id. Returns a stop function. */
  begin(notify: (method: string, params: Params) => void): () => void;
}

/** Validates a field of a `subscriptions/listen` filter. Returns undefined if no part of the field's value is accepted. */
export type OpenSubscription = (
  wanted: unknown,
  call: Call,
) => SubscriptionField | undefined | Promise<SubscriptionField | undefined>;

/** One request with its caller, for handlers of methods that are specific to a revision. */
export interface Call extends Observer {
  readonly id: Id;
  readonly method: string;
  readonly params: Params;
  /** Protocol version of the request. */
  readonly revision: string;
  readonly caller: Caller;
  readonly exchange: Exchange;
  /** Set by the handler of the method, for the encoder of the result. */
  encodingHints: EncodingHints;
}

/** Handler of a method that only stateful or only stateless revisions have, such as `initialize`. */
export type RevisionMethod = (call: Call, server: ServerInfo) => unknown;

/** Handler of a notification that only stateful revisions have, such as `notifications/initialized`. */
export type RevisionNotification = (params: Params, session: Session) => void;

export interface EncodedPage {
  readonly kind: ListKind;
  /** Entries of the page, each as JSON text. */
  readonly items: readonly string[];
  readonly nextCursor: string | undefined;
  readonly cache: CacheHints;
}

/** Data that the encoder of a result needs in addition to the result. */
export interface EncodingHints {
  readonly cache?: CacheHints | undefined;
  /** `resultType` of the encoded result. Default: `complete`. A `resultType` that the handler's result contains is ignored. */
  readonly resultType?: string;
  /** Output schema of the called tool. It decides whether a stateful revision wraps structured content as `{ result: ... }`. */
  readonly outputSchema?: JsonSchemaObject | undefined;
}

/** Description of a client, sent with each request (stateless revisions) or with `initialize` (stateful revisions). */
export interface ClientInfo {
  readonly info: Implementation;
  readonly capabilities: Caller['capabilities'];
  readonly logLevel: Caller['logLevel'];
  /** Extensions of the client. Each is declared only in the revisions that its definition allows. */
  readonly extensions?: readonly Declaration[];
}

/** A decoded result. `other` is a result with a `resultType` that the protocol does not define. */
export type Decoded =
  | { readonly type: 'complete'; readonly result: Record<string, unknown> }
  | { readonly type: 'other'; readonly resultType: string; readonly result: Record<string, unknown> }
  | {
      readonly type: 'input_required';
      readonly requests: ReadonlyMap<string, InputRequest>;
      readonly state: string | undefined;
    };

export interface Revision {
  readonly features: RevisionFeatures;
  readonly methods: ReadonlyMap<string, RevisionMethod>;
  readonly notifications: ReadonlyMap<string, RevisionNotification>;
  /** Returns the client of a request. In stateless revisions, throws an `RpcError` if `_meta` is malformed. */
  callerOf(params: Params, session: Session | undefined): Caller;
  /** Encodes a list entry. Members that the revision does not have are removed. */
  encodeListEntry(kind: ListKind, item: object): object;
  encodePage(page: EncodedPage, server: ServerInfo): EncodedJson;
  /** Encodes the result of a handler. `row` is the method's entry in the table `METHODS`; undefined for custom methods. */
  encodeResult(row: MethodRow | undefined, result: object, hints: EncodingHints, server: ServerInfo): object;
  /** Encodes a tool result from `json`, the JSON of `structuredContent`. If this returns undefined, use `encodeResult`. */
  encodeStructuredResult(
    json: string,
    result: CallToolResult,
    hints: EncodingHints,
    server: ServerInfo,
  ): EncodedJson | undefined;
  /** Encodes an error. In some revisions, invalid tool arguments become a result with `isError: true`. */
  encodeError(error: RpcError): { readonly error: ErrorObject } | { readonly result: object };
  /** Encodes an input request. Throws an `RpcError` if the revision does not have this kind of input request. */
  encodeInputRequest(request: InputRequest): { readonly method: string; readonly params?: Params };
  encodeProgress(params: { progressToken: Id; progress: number; total?: number; message?: string }): Params;
  /** Returns the notification of a change for a session; undefined if the session must not get a notification. */
  notificationOf(change: ServerEvent, session: Session): Notification | undefined;
}

export interface ClientRevision {
  readonly features: RevisionFeatures;
  /** Removes capabilities that the revision does not have. */
  encodeCapabilities(capabilities: Caller['capabilities']): Caller['capabilities'];
  encodeInputResponse(method: string, response: InputResponse): InputResponse;
  /** Encodes the params of a request, with `meta` added to `_meta`. */
  encodeRequest(params: Params | undefined, client: ClientInfo, meta?: Meta): Params | undefined;
  /** Decodes a result. Throws a `ConnectionError` if the result is malformed. */
  decodeResult(method: string, result: unknown): Decoded;
}
