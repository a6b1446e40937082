/** `UnflushedBytes`: counts response bytes that clients have not read, and disconnects slow consumers. */

import type { CallerRef, Pool } from '../../../server/limits/pool.ts';
import type { Beating, Heartbeat } from './heartbeat.ts';

/** A response whose bytes are buffered while the client does not read them (backpressure). */
export interface Sink {
  /** Response bytes that are buffered in this process. */
  readonly waiting: number;
  /** Bytes of the current socket write that the operating system has not accepted. Decreases while the client reads. */
  readonly queued: number;
  /** True if the connection is closed or all bytes are sent. */
  readonly done: boolean;
  /** Closes the connection at once, and discards buffered bytes. */
  cut(): void;
}

/** Counters of one connection, over all its responses. */
export interface ConnectionLoad {
  inFlight: number;
  /** Buffered response bytes, as of the last count. */
  unflushed: number;
  /** The responses that have buffered bytes. */
  sinks?: Set<UnflushedSink>;
}

/** Responses with fewer buffered bytes are not counted: small writes are usually sent in the same event loop iteration. */
export const UNCOUNTED_BYTES: number = 4 * 1024;

// Number of checks per `slowReaderMs`. A client that reads nothing during this many checks is disconnected.
const BEATS = 4;
// Minimum time between two recounts of all responses, in milliseconds. A recount is too slow for each request.
const RECOUNT_MS = 10;

export class UnflushedBytes {
  readonly #pool: Pool;
  readonly #clock: Heartbeat;
  readonly #members = new Set<UnflushedSink>();
  #countedAt = 0;

  /** `heartbeat` creates the timer. A client that reads nothing for `slowReaderMs` milliseconds is disconnected. */
  constructor(pool: Pool, heartbeat: Heartbeat, slowReaderMs: number) {
    this.#pool = pool;
    this.#clock = heartbeat.every(slowReaderMs / BEATS);
  }

  /** True if the limits on buffered bytes allow writing more for this caller. */
  hasRoom(ref: CallerRef): boolean {
    if (this.#pool.hasRoom(ref, 0)) return true;
    const now = performance.now();
    if (now - this.#countedAt < RECOUNT_MS) return false;
    this.#countedAt = now;
    for (const member of [...this.#members]) member.count();
    return this.#pool.hasRoom(ref, 0);
  }

  /** Returns the buffered bytes of a connection. Counts them again if they exceed `limit`: the client can have read some. */
  bytesOn(connection: ConnectionLoad, limit: number): number {
    if (connection.unflushed > limit) for (const sink of connection.sinks ?? []) sink.count();
    return connection.unflushed;
  }

  /** Counts the buffered bytes of a response until all are sent. */
  follow(sink: Sink, ref: CallerRef, connection: ConnectionLoad | undefined): UnflushedSink {
    const member: UnflushedSink = new UnflushedSink(sink, ref.caller, this.#pool, connection, (isCounted) => {
      if (isCounted) {
        this.#members.add(member);
        this.#clock.join(member);
      } else {
        this.#members.delete(member);
        this.#clock.leave(member);
      }
    });
    member.count();
    return member;
  }
}

export class UnflushedSink implements Beating {
  readonly #sink: Sink;
  readonly #caller: string;
  readonly #pool: Pool;
  readonly #connection: ConnectionLoad | undefined;
  readonly #onChange: (isCounted: boolean) => void;
  #counted = 0;
  #queued = 0;
  #beats = 0;

  constructor(
    sink: Sink,
    caller: string,
    pool: Pool,
    connection: ConnectionLoad | undefined,
    onChange: (isCounted: boolean) => void,
  ) {
    this.#sink = sink;
    this.#caller = caller;
    this.#pool = pool;
    this.#connection = connection;
    this.#onChange = onChange;
  }

  /** Updates the counters with the bytes that are buffered now. */
  count(): void {
    const { waiting, queued, done } = this.#sink;
    const left = done ? 0 : waiting;
    if (left < this.#counted || queued < this.#queued) this.#beats = 0;
    this.#queued = queued;
    if (left === this.#counted) return;
    const wasCounted = this.#counted > 0;
    if (left > this.#counted) this.#pool.take(this.#caller, left - this.#counted);
    else this.#pool.release(this.#caller, this.#counted - left);
    if (this.#connection) this.#connection.unflushed += left - this.#counted;
    this.#counted = left;
    if (wasCounted === left > 0) return;
    if (this.#connection) {
      this.#connection.sinks ??= new Set();
      if (left > 0) this.#connection.sinks.add(this);
      else this.#connection.sinks.delete(this);
    }
    this.#onChange(left > 0);
  }

  beat(): void {
    this.#beats++;
    this.count();
    if (this.#counted === 0 || this.#beats < BEATS) return;
    this.#sink.cut();
    this.count();
  }
}
