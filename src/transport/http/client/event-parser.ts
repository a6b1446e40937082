/** `EventParser`: parses the bytes of an SSE stream into events. */

import { createParser, type EventSourceParser } from 'eventsource-parser';
import { ConnectionError, toError } from '../../../jsonrpc/errors.ts';
import { TimeSlice } from '../../../timing/time-slice.ts';
import { timerMs } from '../../../timing/timer-range.ts';
import { tooLarge } from './failures.ts';

export interface ServerEvent {
  /** Value of the SSE field `event`. Default: `message`. */
  readonly type: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Callbacks of `EventParser`. */
export interface EventListener {
  onEvent(event: ServerEvent): void;
  /** Called with the reconnection time of the SSE field `retry`, in milliseconds. */
  onRetry(milliseconds: number): void;
  /** Called with the text of an SSE comment. Servers send comments as keep-alives. */
  onComment?(text: string): void;
  /** Called once if the stream is invalid or an event is too large, or if `onEvent` throws. No other callback follows. */
  onFault(error: Error): void;
}

// Bytes parsed at once. Their events are delivered before the next part is parsed, to limit the events in memory.
const PART = 16 * 1024;
const FIELD_NAME = 'data: '.length;
// Length of an SSE comment without its text.
const COMMENT_FRAMING = ': \n\n'.length;
// Maximum size of an event on the wire, as a multiple of `maxBytes`: field names and line ends add to the data.
const MAX_FRAMING = 1.5;
const encoder = new TextEncoder();

/** Parses one SSE stream and limits the size of its events. Unknown fields are ignored. */
export class EventParser {
  readonly #parser: EventSourceParser;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #listener: EventListener;
  readonly #maxBytes: number;
  readonly #slice = new TimeSlice();
  /** Parsed events that the listener has not received yet. */
  #events: ServerEvent[] = [];
  /** Bytes received since the last event, without comments. */
  #unfinished = 0;
  #isTooLong = false;
  #isOver = false;

  /** `maxBytes` is the maximum size of the data of one event. */
  constructor(listener: EventListener, maxBytes: number) {
    this.#listener = listener;
    this.#maxBytes = maxBytes;
    this.#parser = createParser({
      // The parser counts the field name as part of the line.
      maxBufferSize: maxBytes + FIELD_NAME,
      onEvent: ({ event = 'message', data, id }) => {
        this.#unfinished = 0;
        if (isLonger(data, maxBytes)) this.#isTooLong = true;
        if (!this.#isTooLong) this.#events.push({ type: event, data, id });
      },
      onComment: (comment) => {
        this.#unfinished -= comment.length + COMMENT_FRAMING;
        listener.onComment?.(comment);
      },
      onRetry: (milliseconds) => listener.onRetry(timerMs(milliseconds)),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.#isTooLong = true;
      },
    });
  }

  /** Parses bytes and delivers the completed events. Await a returned promise (backpressure) before the next `push`. */
  push(bytes: Uint8Array): void | Promise<void> {
    this.#slice.begin();
    for (let at = 0; at < bytes.length && !this.#isOver; at += PART) {
      this.#parse(bytes.subarray(at, at + PART));
      if (!this.#deliver()) return this.#goOn(bytes.subarray(at + PART));
    }
  }

  async #goOn(rest: Uint8Array): Promise<void> {
    do {
      await new Promise<void>((resolve) => this.#slice.next(resolve));
    } while (!this.#deliver());
    await this.push(rest);
  }

  /** Delivers parsed events. Returns false if the time slice ended before all of them were delivered. */
  #deliver(): boolean {
    const events = this.#events;
    let at = 0;
    let isInTime = true;
    while (at < events.length && isInTime && !this.#isOver) {
      const event = events[at++] as ServerEvent;
      try {
        this.#listener.onEvent(event);
      } catch (error) {
        this.#fail(toError(error));
      }
      isInTime = !this.#slice.isOverAfter(event.data.length);
    }
    this.#events = events.slice(at);
    if (this.#events.length > 0 && !this.#isOver) return false;
    if (this.#isTooLong) this.#fail(tooLarge('an event', this.#maxBytes));
    return true;
  }

  #parse(bytes: Uint8Array): void {
    let text: string;
    try {
      text = this.#decoder.decode(bytes, { stream: true });
    } catch {
      this.#fail(malformed('an event stream that is not valid UTF-8'));
      return;
    }
    this.#unfinished += bytes.length;
    this.#parser.feed(text);
    // Many empty `data:` lines add little data but cost memory each, so the bytes on the wire are limited too.
    if (this.#unfinished > this.#maxBytes * MAX_FRAMING + PART) this.#isTooLong = true;
    this.#unfinished = Math.max(this.#unfinished, 0);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onFault(error);
  }
}

// UTF-8 has at most 3 bytes per UTF-16 code unit, so short data need not be encoded to be measured.
function isLonger(data: string, maxBytes: number): boolean {
  if (data.length * 3 <= maxBytes) return false;
  return data.length > maxBytes || encoder.encode(data).length > maxBytes;
}

function malformed(what: string): ConnectionError {
  return new ConnectionError('malformed', `The server sent ${what}`);
}
