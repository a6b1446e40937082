/** Bytes of responses that clients have not taken yet: counted, and clients that take nothing are disconnected. */

import type { CallerRef, Pool } from '../../../server/limits/pool.ts';
import type { Beating, Heartbeat } from './heartbeat.ts';

/** What is written to a client. */
export interface Sink {
  /** Bytes that were written and have not left this process. */
  readonly waiting: number;
  /** Bytes of them that the operating system has not taken of the write under way; it changes while the client reads. */
  readonly queued: number;
  /** The connection is gone, or everything has left. */
  readonly done: boolean;
  /** Breaks the connection off, with what was not taken yet. */
  cut(): void;
}

/** What is counted for one connection, all its responses together. */
export interface ConnectionLoad {
  /** Requests that are being worked on. */
  inFlight: number;
  /** Bytes that wait for the client, as counted last. */
  unflushed: number;
  /** The responses that these bytes belong to. */
  sinks?: Set<UnflushedSink>;
}

/** Less than this is not counted for each response: what is sent within one turn leaves at its end. */
export const UNCOUNTED_BYTES: number = 4 * 1024;

// A client is disconnected that takes nothing for this many beats of the clock.
const BEATS = 4;
// Counting anew what all clients have taken is worth it when there seems to be no room, but not for each request.
const RECOUNT_MS = 10;

/** Those of all clients of an endpoint. */
export class UnflushedBytes {
  readonly #pool: Pool;
  readonly #clock: Heartbeat;
  readonly #members = new Set<UnflushedSink>();
  #countedAt = 0;

  /** `heartbeat` gives the kind of clock; a client that takes nothing for `slowReaderMs` is disconnected. */
  constructor(pool: Pool, heartbeat: Heartbeat, slowReaderMs: number) {
    this.#pool = pool;
    this.#clock = heartbeat.every(slowReaderMs / BEATS);
  }

  /** True if more can be written for this caller. */
  hasRoom(ref: CallerRef): boolean {
    if (this.#pool.hasRoom(ref, 0)) return true;
    const now = performance.now();
    if (now - this.#countedAt < RECOUNT_MS) return false;
    this.#countedAt = now;
    for (const member of [...this.#members]) member.count();
    return this.#pool.hasRoom(ref, 0);
  }

  /** Bytes that wait on one connection. They are counted again if they exceed a limit: the client may have read them since. */
  bytesOn(connection: ConnectionLoad, limit: number): number {
    if (connection.unflushed > limit) for (const sink of connection.sinks ?? []) sink.count();
    return connection.unflushed;
  }

  /** Counts what waits in a sink until all of it has left. */
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

/** The account of one response or stream. */
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

  /** Counts what waits now. */
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
