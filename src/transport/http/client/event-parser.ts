/** Bytes of an event stream to events. */

import { createParser, type EventSourceParser } from 'eventsource-parser';
import { ConnectionError } from '../../../jsonrpc/errors.ts';

/** One event. */
export interface ServerEvent {
  /** `message` unless the server says otherwise. */
  readonly type: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Hears what is in a stream. */
export interface EventListener {
  onEvent(event: ServerEvent): void;
  /** How many milliseconds the server wants us to wait before we come back. */
  onRetry(milliseconds: number): void;
}

// setTimeout counts with 32 bits: anything longer would be no time at all.
const LONGEST_RETRY = 2 ** 31 - 1;

/** Reads one stream. Comments are skipped, and so are fields nobody knows. */
export class EventParser {
  readonly #parser: EventSourceParser;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #maxLength: number;
  #isTooLong = false;

  /** An event may have `maxLength` characters. */
  constructor(listener: EventListener, maxLength: number) {
    this.#maxLength = maxLength;
    this.#parser = createParser({
      maxBufferSize: maxLength,
      onEvent: ({ event = 'message', data, id }) => {
        if (data.length > maxLength) this.#isTooLong = true;
        if (!this.#isTooLong) listener.onEvent({ type: event, data, id });
      },
      onRetry: (milliseconds) => listener.onRetry(Math.min(milliseconds, LONGEST_RETRY)),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.#isTooLong = true;
      },
    });
  }

  /** Tells what is complete with these bytes. Throws if the stream is not worth reading any further. */
  push(bytes: Uint8Array): void {
    this.#parser.feed(this.#decode(bytes));
    if (this.#isTooLong) {
      throw new ConnectionError('malformed', `The server sent an event of more than ${this.#maxLength} characters`);
    }
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: true });
    } catch {
      throw new ConnectionError('malformed', 'The server sent an event stream that is not valid UTF-8');
    }
  }
}
