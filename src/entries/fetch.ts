/** `mcpp/fetch`: serves HTTP on every runtime with `Request` and `Response`. */

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
export { type FetchHandler, fetchHandler } from '../transport/http/server/fetch-handler.ts';
export type {
  HttpLimits,
  HttpOptions,
  SessionMessage,
  SessionOptions,
  SessionRecord,
} from '../transport/http/server/options.ts';
export type { HttpResponseInfo, OnResponse } from '../transport/http/server/response-log.ts';
