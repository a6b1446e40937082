/** Bytes of an event stream to events. */

import { createParser, type EventSourceParser } from 'eventsource-parser';
import { ConnectionError, toError } from '../../../jsonrpc/errors.ts';
import { TimeSlice } from '../../../timing/time-slice.ts';
import { timerMs } from '../../../timing/timer-range.ts';
import { tooLarge } from './failures.ts';

/** One event. */
export interface ServerEvent {
  /** `message` unless the server says otherwise. */
  readonly type: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Receives what is in a stream. */
export interface EventListener {
  onEvent(event: ServerEvent): void;
  /** How many milliseconds the server wants us to wait before we come back. */
  onRetry(milliseconds: number): void;
  /** A comment, as keep-alives are. */
  onComment?(text: string): void;
  /** The stream is not read any further; called once. */
  onFault(error: Error): void;
}

// So many bytes are parsed at once: what they hold is delivered before more is parsed.
const PART = 16 * 1024;
const FIELD_NAME = 'data: '.length;
// A colon, a space and the line ends of a comment.
const COMMENT_FRAMING = ': \n\n'.length;
// How many times its data an event may be on the wire, for the names of its fields and its line ends.
const MAX_FRAMING = 1.5;
const encoder = new TextEncoder();

/** Reads one stream. Comments and unknown fields are skipped. */
export class EventParser {
  readonly #parser: EventSourceParser;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #listener: EventListener;
  readonly #maxBytes: number;
  readonly #slice = new TimeSlice();
  /** Events that were parsed and not delivered. */
  #events: ServerEvent[] = [];
  /** Bytes since the last event, comments aside. */
  #unfinished = 0;
  #isTooLong = false;
  #isOver = false;

  /** The data of an event may have `maxBytes` bytes. */
  constructor(listener: EventListener, maxBytes: number) {
    this.#listener = listener;
    this.#maxBytes = maxBytes;
    this.#parser = createParser({
      // The line that is being read counts with its field name.
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

  /** Delivers the events that are complete with these bytes. A promise means: not yet all, push no more until it resolves. */
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

  /** True if all events are delivered, false if other events of the process come first. */
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
    // Lines without content are joined as well, and cost memory for each.
    if (this.#unfinished > this.#maxBytes * MAX_FRAMING + PART) this.#isTooLong = true;
    this.#unfinished = Math.max(this.#unfinished, 0);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onFault(error);
  }
}

// A character has at most three bytes.
function isLonger(data: string, maxBytes: number): boolean {
  if (data.length * 3 <= maxBytes) return false;
  return data.length > maxBytes || encoder.encode(data).length > maxBytes;
}

function malformed(what: string): ConnectionError {
  return new ConnectionError('malformed', `The server sent ${what}`);
}
