/** A stream that is opened with GET, and opened again where it broke off. */

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

/** What a stream needs from whoever wants it. */
export interface EventStreamHost {
  readonly requester: Requester;
  /** When to try again. */
  readonly backoff: Backoff;
  /** Bytes of the data of one event. */
  readonly maxResponseBytes: number;
  /** The request for it, from behind this event. */
  ask(lastEventId: string | undefined): Asked;
  /** The server has begun to tell. */
  onOpen(): void;
  onEvent(event: ServerEvent): void;
  /** It is there again, but what was said in between is not. */
  onGap(): void;
  /** True for a status after which there is no sense in trying again. */
  isFinal(status: number): boolean;
  /**
   * A stream that stands by itself brings something by being there, and is wanted for as long as the session lasts; one
   * with an answer in it brings something only by new events.
   */
  readonly isStanding: boolean;
  /** It could not be opened for a while, and is still tried; told once until it is open again. */
  onTrouble(cause: ConnectionError): void;
  /** It is over for good, and not because it was stopped. */
  onGiveUp(cause: ConnectionError): void;
}

/** Keeps the stream open until it is stopped or given up. */
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

  /** Opens it in so many milliseconds, from behind this event. */
  open(delay = 0, lastEventId?: string): void {
    this.#lastEventId = lastEventId;
    if (delay > 0) this.#timer = setTimeout(() => this.#ask(), delay);
    else this.#ask();
  }

  /** Nothing is told any more. */
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
          // What cannot be read once cannot be read again.
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

  // Nothing of this connection is read any more: what it still brings would be told twice.
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
