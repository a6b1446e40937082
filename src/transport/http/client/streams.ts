/** The two streams a session can have beside its requests: the one that stands by itself, and the rest of one that broke. */

import type { ReconnectOptions } from '../../../client/http-options.ts';
import { isFinalStatus } from '../../../client/statuses.ts';
import type { ConnectionError } from '../../../jsonrpc/errors.ts';
import { Backoff, SHORTEST_PAUSE } from './backoff.ts';
import type { ServerEvent } from './event-parser.ts';
import { EventStream } from './event-stream.ts';
import { streamHeaders } from './request-headers.ts';
import type { Asked, Requester } from './requester.ts';
import type { HttpSession } from './session.ts';

/** What both need. */
export interface StreamsHost {
  readonly requester: Requester;
  readonly session: HttpSession;
  readonly maxResponseBytes: number;
  readonly reconnect: ReconnectOptions | undefined;
}

/** Who hears of it. */
export interface StreamListener {
  /** The server has begun to tell. */
  onOpen?(): void;
  onEvent(event: ServerEvent): void;
  /** It is there again, but what was said in between is not. */
  onGap?(): void;
  /** It could not be opened for a while, and is still tried; told once until it is open again. */
  onTrouble?(cause: ConnectionError): void;
  /** It is over for good; `cause.status` says if the server refused it. */
  onGiveUp(cause: ConnectionError): void;
}

/** The stream for what belongs to no request, opened now. */
export function standingStream(host: StreamsHost, listener: StreamListener): EventStream {
  const stream = makeStream(host, listener, true);
  stream.open();
  return stream;
}

/** The rest of a request's stream, from behind the event with this id. The server may have `told` us when to come back. */
export function restOfStream(
  host: StreamsHost,
  listener: StreamListener,
  lastEventId: string,
  told: number | undefined,
): EventStream {
  const stream = makeStream(host, listener, false);
  // The server ended it on purpose and knows when there is more; only from the second time on it may be a circle.
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
    // Who has signed in for a call meanwhile is let in here, too.
    isFinal: (status) => isFinalStatus(status) && !(status === 401 && requester.options.authorize),
    onOpen: () => listener.onOpen?.(),
    onEvent: (event) => listener.onEvent(event),
    onGap: () => listener.onGap?.(),
    onTrouble: (cause) => listener.onTrouble?.(cause),
    onGiveUp: (cause) => listener.onGiveUp(cause),
  });
}
