/** `EventStream`: an SSE stream opened by GET, which reconnects with `Last-Event-ID` after an interruption. */

import { TRY_AGAIN } from '../../../client/statuses.ts';
import type { ConnectionError } from '../../../jsonrpc/errors.ts';
import type { Backoff } from './backoff.ts';
import { EventParser, type ServerEvent } from './event-parser.ts';
import { cutOff, fellSilent, statusError } from './failures.ts';
import { KeepAlives } from './keep-alives.ts';
import { bodyKind } from './media-type.ts';
import { canResumeFrom } from './request-headers.ts';
import type { Asked, Requester } from './requester.ts';
import type { ResponseHead, ResponseReader } from './sender.ts';

/** Settings and callbacks of an `EventStream`. */
export interface EventStreamHost {
  readonly requester: Requester;
  readonly backoff: Backoff;
  /** Maximum size of the data of one event, in bytes. */
  readonly maxResponseBytes: number;
  /** Returns the GET request that opens the stream. With `lastEventId`, the request resumes the stream after that event. */
  ask(lastEventId: string | undefined): Asked;
  /** Called each time the server has opened the stream with status 200. */
  onOpen(): void;
  onEvent(event: ServerEvent): void;
  /** Called after a reconnect without `Last-Event-ID`: events sent during the interruption are lost. */
  onGap(): void;
  /** True if a retry after this HTTP status would fail too. The stream is then given up. */
  isFinal(status: number): boolean;
  /** True for the GET stream of a session, which is retried without limit. False for the resumed stream of a response. */
  readonly isStanding: boolean;
  /** Called when `maxTries` attempts in a row have failed and retries continue. Called at most once until the stream opens. */
  onTrouble(cause: ConnectionError): void;
  /** Called once when the stream has failed and is not retried. Not called after `stop`. */
  onGiveUp(cause: ConnectionError): void;
}

/** Keeps an SSE stream open by reconnecting with backoff, until `stop` is called or the server refuses the stream. */
export class EventStream implements ResponseReader {
  readonly #host: EventStreamHost;
  #parser: EventParser | undefined;
  #lastEventId: string | undefined;
  #told: number | undefined;
  #opened = 0;
  #brought = false;
  #isAgain = false;
  #isTroubled = false;
  #isStopped = false;
  readonly #keepAlives = new KeepAlives(() => this.#lose());
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hangUp: (() => void) | undefined;

  constructor(host: EventStreamHost) {
    this.#host = host;
  }

  /** Opens the stream after `delay` milliseconds. With `lastEventId`, resumes the stream after that event. */
  open(delay = 0, lastEventId?: string): void {
    this.#lastEventId = lastEventId;
    if (delay > 0) this.#timer = setTimeout(() => this.#ask(), delay);
    else this.#ask();
  }

  /** Closes the stream. No callback follows. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#keepAlives.stop();
    this.#hangUp?.();
  }

  onHead(head: ResponseHead): void {
    const host = this.#host;
    if (head.status === 200 && bodyKind(head) === 'events') {
      this.#opened = Date.now();
      this.#parser = new EventParser(
        {
          onEvent: (event) => this.#take(event),
          onRetry: (milliseconds) => {
            this.#told = milliseconds;
          },
          onComment: (text) => this.#keepAlives.onComment(text),
          // A stream that cannot be parsed is not retried, because the server would send the same events again.
          onFault: (error) => {
            this.#hangUp?.();
            this.#giveUp(error as ConnectionError);
          },
        },
        host.maxResponseBytes,
      );
      this.#isTroubled = false;
      this.#keepAlives.begin();
      host.onOpen();
      if (this.#isAgain && this.#lastEventId === undefined) host.onGap();
      return;
    }
    this.#hangUp?.();
    const cause = statusError(head, host.requester.name);
    if (host.isFinal(head.status)) this.#giveUp(cause);
    else this.#again(cause, cause.retryAfterMs);
  }

  onChunk(bytes: Uint8Array): void | Promise<void> {
    this.#keepAlives.onBytes();
    return this.#parser?.push(bytes);
  }

  onEnd(): void {
    this.#again(cutOff(this.#host.requester.name), this.#told);
  }

  onFail(error: Error): void {
    this.#again(error as ConnectionError, this.#told);
  }

  // Closes the connection before the reconnect, because events that still arrive on it would be delivered twice.
  #lose(): void {
    this.#hangUp?.();
    this.#again(fellSilent(this.#host.requester.name), this.#told);
  }

  #ask(): void {
    this.#opened = 0;
    this.#brought = false;
    this.#parser = undefined;
    this.#hangUp = this.#host.requester.send(this.#host.ask(this.#lastEventId), this);
  }

  #take(event: ServerEvent): void {
    if (this.#isStopped) return;
    if (event.id !== undefined && event.id !== this.#lastEventId) this.#brought = true;
    if (event.data !== '') this.#brought = true;
    if (event.id !== undefined) this.#lastEventId = canResumeFrom(event.id) ? event.id : undefined;
    this.#host.onEvent(event);
  }

  #again(cause: ConnectionError, told: number | undefined): void {
    if (this.#isStopped) return;
    this.#keepAlives.stop();
    const lived = this.#opened === 0 ? 0 : Date.now() - this.#opened;
    const { backoff, isStanding } = this.#host;
    const wasGood = this.#opened !== 0 && (this.#brought || isStanding);
    const delay = backoff.after({ lived, told, wasGood });
    const goesOn = isStanding || TRY_AGAIN.has(cause.status ?? 0);
    if (delay === undefined && !goesOn) this.#giveUp(cause);
    else {
      this.#isAgain = true;
      this.open(delay ?? backoff.atLongest(told), this.#lastEventId);
      if (delay === undefined) this.#trouble(cause);
    }
  }

  #trouble(cause: ConnectionError): void {
    if (this.#isTroubled) return;
    this.#isTroubled = true;
    this.#host.onTrouble(cause);
  }

  #giveUp(cause: ConnectionError): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#keepAlives.stop();
    this.#host.onGiveUp(cause);
  }
}
