/** What an endpoint does at the same time, in all and for each caller. Beyond its limits requests get 503. */

import { type CallerRef, Pool } from '../../../server/limits/pool.ts';
import { callBytes, KEPT_BYTES_EXCEEDED, type Usage } from '../../../server/limits/usage.ts';
import { callerAddress } from './caller-address.ts';
import type { BodyLimits, HttpExchange } from './http-exchange.ts';
import type { HttpLimits } from './options.ts';
import { busy, type Refusal } from './refusal.ts';
import type { ConnectionLoad, UnflushedBytes } from './unflushed.ts';

/** A request, and whose it is. */
export interface CallerRequest extends CallerRef {
  readonly http: HttpExchange;
}

// A stream that stays open, with what Node keeps for its connection and without the headers of its request.
const STREAM_BYTES = 4 * 1024;

/** The error of a request on a connection whose client does not read. */
export const UNREAD = 'Too much of earlier responses has not been read';

/** The account of one endpoint, and the part of its server's that it asks. */
export class Load {
  readonly limits: HttpLimits;
  readonly unflushed: UnflushedBytes;
  /** Calls that run on after the turn in which they arrived. */
  readonly running: Pool;
  readonly #streams: Pool;
  readonly #bodies: Pool;
  readonly #usage: Usage;
  readonly #clientAddress: ((request: HttpExchange) => string | undefined) | undefined;
  /** The server closes: no stream opens any more that stays open. */
  isClosing = false;
  /** The server closes: what is dropped from now on is dropped for that reason. */
  isOver = false;

  constructor(
    limits: HttpLimits,
    usage: Usage,
    unflushed: UnflushedBytes,
    clientAddress?: (request: HttpExchange) => string | undefined,
  ) {
    this.limits = limits;
    this.unflushed = unflushed;
    this.running = new Pool(limits.running);
    this.#streams = new Pool(limits.streams);
    this.#bodies = new Pool(limits.bodiesBytes);
    this.#usage = usage;
    this.#clientAddress = clientAddress;
  }

  /** The key of a caller without a principal. */
  addressOf(http: HttpExchange): string {
    return callerAddress(this.#clientAddress ? this.#clientAddress(http) : http.address);
  }

  /** The reason why no request of this caller can be begun now. */
  refusalOf(visit: CallerRequest): Refusal | undefined {
    if (!this.running.hasRoom(visit)) return busy('Too many requests are running');
    if (!this.#usage.kept.hasRoom(visit, 0)) return busy(KEPT_BYTES_EXCEEDED);
    const { connection } = visit.http;
    if (connection && connection.inFlight >= this.limits.inFlightPerConnection) {
      return busy('Too many requests are running on this connection');
    }
    return this.#canSendOn(connection, visit) ? undefined : busy(UNREAD);
  }

  /** The reason why no stream that stays open can be opened now. */
  streamRefusalOf(visit: CallerRequest): Refusal | undefined {
    if (!this.#streams.hasRoom(visit)) return busy('Too many streams are open');
    return this.#usage.kept.hasRoom(visit, 0) ? undefined : busy(KEPT_BYTES_EXCEEDED);
  }

  /** True if the client reads what it is sent, and so do most others. */
  canSend(visit: CallerRequest): boolean {
    return this.#canSendOn(visit.http.connection, visit);
  }

  #canSendOn(connection: ConnectionLoad | undefined, visit: CallerRequest): boolean {
    const { unreadBytes } = this.limits;
    if (connection && this.unflushed.bytesOn(connection, unreadBytes) > unreadBytes) return false;
    return this.unflushed.hasRoom(visit);
  }

  /** Counts a call that runs on, and the stream that it keeps open, until `release`. Gives the bytes that were counted. */
  hold({ caller, http }: CallerRequest, params: unknown, isStream = false): number {
    const { connection } = http;
    const bytes = callBytes(params) + http.headerBytes;
    this.running.take(caller);
    this.#usage.kept.take(caller, bytes);
    if (isStream) this.#streams.take(caller);
    if (connection) connection.inFlight++;
    return bytes;
  }

  /** Counts such a call no more; with a promise, once that has settled. */
  release(visit: CallerRequest, bytes: number, isStream = false, after?: Promise<unknown>): void {
    if (after) {
      const release = (): void => this.release(visit, bytes, isStream);
      after.then(release, release);
      return;
    }
    const { caller, http } = visit;
    this.running.release(caller);
    this.#usage.kept.release(caller, bytes);
    if (isStream) this.#streams.release(caller);
    if (http.connection) http.connection.inFlight--;
  }

  /** Counts a stream that stays open without a call, until its client is gone. */
  openStandalone({ caller, http }: CallerRequest): void {
    const bytes = STREAM_BYTES + http.headerBytes;
    this.#streams.take(caller);
    this.#usage.kept.take(caller, bytes);
    // A bound function: a closure would take three times the memory, for each stream.
    http.onClose(this.#closeStandalone.bind(this, caller, bytes));
  }

  #closeStandalone(caller: string, bytes: number): void {
    this.#streams.release(caller);
    this.#usage.kept.release(caller, bytes);
  }

  /** Counts a body that arrives in pieces. */
  bodyOf(visit: CallerRequest): BodyReading {
    return new BodyReading(this.#bodies, visit, this.limits);
  }
}

/** A body that is being read, until `end` is called. */
class BodyReading implements BodyLimits {
  readonly bytes: number;
  readonly milliseconds: number;
  readonly #pool: Pool;
  readonly #visit: CallerRequest;
  #read = 0;

  constructor(pool: Pool, visit: CallerRequest, limits: HttpLimits) {
    this.#pool = pool;
    this.#visit = visit;
    this.bytes = limits.bodyBytes;
    this.milliseconds = limits.bodyMs;
  }

  hasRoom(bytes: number): boolean {
    if (!this.#pool.hasRoom(this.#visit, bytes)) return false;
    this.#pool.take(this.#visit.caller, bytes);
    this.#read += bytes;
    return true;
  }

  end(): void {
    if (this.#read > 0) this.#pool.release(this.#visit.caller, this.#read);
  }
}
