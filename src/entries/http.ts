/** `mcpp/http`: serves HTTP on Node, standalone or in a framework. */

export type {
  Authenticate,
  Challenge,
  Credentials,
  HttpRequest,
  ProtectedResource,
} from '../protocol/http/authenticate.ts';
export type { EventStore, FollowedStream, StoredEvent } from '../store/event-store.ts';
export type { SessionBus } from '../store/session-bus.ts';
export type {
  SessionPatch,
  SessionStore,
  StoredSession,
  StreamCondition,
  TakenStream,
} from '../store/session-store.ts';
export { type NodeHandler, nodeHandler } from '../transport/http/server/node-handler.ts';
export { type HttpServerHandle, type ServeHttpOptions, serveHttp } from '../transport/http/server/node-serve.ts';
export type {
  HttpLimits,
  HttpOptions,
  SessionMessage,
  SessionOptions,
  SessionRecord,
} from '../transport/http/server/options.ts';
export type { HttpResponseInfo, OnResponse } from '../transport/http/server/response-log.ts';
