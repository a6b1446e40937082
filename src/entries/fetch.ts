/** `mcpp/fetch`: serve over HTTP on every runtime that has `Request` and `Response`. */

export type {
  Authenticate,
  Challenge,
  Credentials,
  HttpRequest,
  ProtectedResource,
} from '../protocol/http-request.ts';
export type { EventStore, StoredEvent } from '../store/events.ts';
export type { Mailboxes } from '../store/mailboxes.ts';
export type { SessionStore } from '../store/sessions.ts';
export { type FetchHandler, fetchHandler } from '../transport/http/server/fetch-handler.ts';
export type {
  HttpLimits,
  HttpOptions,
  Letter,
  SessionOptions,
  StoredSession,
} from '../transport/http/server/options.ts';
export type { HttpResponseInfo, OnResponse } from '../transport/http/server/response-log.ts';
