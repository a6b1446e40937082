/** Opens GET streams of a session: for server messages that belong to no request, and to resume the stream of a response. */

import type { ReconnectOptions } from '../../../client/http-options.ts';
import { isFinalStatus } from '../../../client/statuses.ts';
import type { ConnectionError } from '../../../jsonrpc/errors.ts';
import { Backoff, SHORTEST_PAUSE } from './backoff.ts';
import type { ServerEvent } from './event-parser.ts';
import { EventStream } from './event-stream.ts';
import { streamHeaders } from './request-headers.ts';
import type { Asked, Requester } from './requester.ts';
import type { HttpSession } from './session.ts';

export interface StreamsHost {
  readonly requester: Requester;
  readonly session: HttpSession;
  readonly maxResponseBytes: number;
  readonly reconnect: ReconnectOptions | undefined;
}

export interface StreamListener {
  /** Called each time the server has opened the stream. */
  onOpen?(): void;
  onEvent(event: ServerEvent): void;
  /** Called after a reconnect that could not resume the stream: messages sent during the interruption are lost. */
  onGap?(): void;
  /** Called when `maxTries` attempts in a row have failed and retries continue. Called at most once until the stream opens. */
  onTrouble?(cause: ConnectionError): void;
  /** Called once when the stream has failed and is not retried. `cause.status` is set if the server refused the stream. */
  onGiveUp(cause: ConnectionError): void;
}

/** Opens the GET stream for server messages that belong to no request. */
export function standingStream(host: StreamsHost, listener: StreamListener): EventStream {
  const stream = makeStream(host, listener, true);
  stream.open();
  return stream;
}

/** Resumes the SSE stream of a response after `lastEventId`. `told` is the delay that the server requested, in milliseconds. */
export function restOfStream(
  host: StreamsHost,
  listener: StreamListener,
  lastEventId: string,
  told: number | undefined,
): EventStream {
  const stream = makeStream(host, listener, false);
  // The first reconnect waits only the requested delay, because the server closed the stream on purpose. Later reconnects wait
  // for the backoff too, so that they cannot loop.
  stream.open(told || SHORTEST_PAUSE, lastEventId);
  return stream;
}

function makeStream(host: StreamsHost, listener: StreamListener, isStanding: boolean): EventStream {
  const { requester, session, maxResponseBytes, reconnect } = host;
  const ask = (lastEventId: string | undefined): Asked => {
    return { method: 'GET', headers: streamHeaders(session, lastEventId), repeatable: true, isBackground: true };
  };
  return new EventStream({
    requester,
    backoff: new Backoff(reconnect),
    maxResponseBytes,
    isStanding,
    ask,
    // With an authorizer, 401 is not final: a later call can obtain a new token.
    isFinal: (status) => isFinalStatus(status) && !(status === 401 && requester.options.authorize),
    onOpen: () => listener.onOpen?.(),
    onEvent: (event) => listener.onEvent(event),
    onGap: () => listener.onGap?.(),
    onTrouble: (cause) => listener.onTrouble?.(cause),
    onGiveUp: (cause) => listener.onGiveUp(cause),
  });
}
