/** `Load`: counts requests, streams and bytes of an HTTP endpoint, in total and per caller. Requests beyond a limit get 503. */

import { type CallerRef, Pool } from '../../../server/limits/pool.ts';
import { callBytes, KEPT_BYTES_EXCEEDED, type Usage } from '../../../server/limits/usage.ts';
import { callerAddress } from './caller-address.ts';
import type { BodyLimits, HttpExchange } from './http-exchange.ts';
import type { HttpLimits } from './options.ts';
import { busy, type Refusal } from './refusal.ts';
import type { ConnectionLoad, UnflushedBytes } from './unflushed.ts';

/** An HTTP request with its caller's key for per-caller limits. */
export interface CallerRequest extends CallerRef {
  readonly http: HttpExchange;
}

// Estimated memory of an open stream and its Node connection, without the request's header fields, in bytes.
const STREAM_BYTES = 4 * 1024;

/** Error message of the 503 on a connection whose client does not read its responses (slow consumer). */
export const UNREAD = 'Too much of earlier responses has not been read';

/** Counters of one endpoint. `usage` counts the memory of the whole server, over all transports. */
export class Load {
  readonly limits: HttpLimits;
  readonly unflushed: UnflushedBytes;
  /** Running calls. Calls that complete synchronously are not counted. */
  readonly running: Pool;
  readonly #streams: Pool;
  readonly #bodies: Pool;
  readonly #usage: Usage;
  readonly #clientAddress: ((request: HttpExchange) => string | undefined) | undefined;
  /** True after `close` was called: no further long-lived stream opens. */
  isClosing = false;
  /** True after the grace period of `close`: discarded requests get 503. */
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

  /** Returns the key of a caller without a principal, from the option `clientAddress` or the remote address. */
  addressOf(http: HttpExchange): string {
    return callerAddress(this.#clientAddress ? this.#clientAddress(http) : http.address);
  }

  /** Returns the 503 if a limit does not allow another request of this caller. */
  refusalOf(visit: CallerRequest): Refusal | undefined {
    if (!this.running.hasRoom(visit)) return busy('Too many requests are running');
    if (!this.#usage.kept.hasRoom(visit, 0)) return busy(KEPT_BYTES_EXCEEDED);
    const { connection } = visit.http;
    if (connection && connection.inFlight >= this.limits.inFlightPerConnection) {
      return busy('Too many requests are running on this connection');
    }
    return this.#canSendOn(connection, visit) ? undefined : busy(UNREAD);
  }

  /** Returns the 503 if a limit does not allow another long-lived stream of this caller. */
  streamRefusalOf(visit: CallerRequest): Refusal | undefined {
    if (!this.#streams.hasRoom(visit)) return busy('Too many streams are open');
    return this.#usage.kept.hasRoom(visit, 0) ? undefined : busy(KEPT_BYTES_EXCEEDED);
  }

  /** True if the limits on unread response bytes, of this connection and of all clients, allow sending more. */
  canSend(visit: CallerRequest): boolean {
    return this.#canSendOn(visit.http.connection, visit);
  }

  #canSendOn(connection: ConnectionLoad | undefined, visit: CallerRequest): boolean {
    const { unreadBytes } = this.limits;
    if (connection && this.unflushed.bytesOn(connection, unreadBytes) > unreadBytes) return false;
    return this.unflushed.hasRoom(visit);
  }

  /** Counts a running call, with `isStream` also its long-lived stream, until `release`. Returns the counted bytes. */
  hold({ caller, http }: CallerRequest, params: unknown, isStream = false): number {
    const { connection } = http;
    const bytes = callBytes(params) + http.headerBytes;
    this.running.take(caller);
    this.#usage.kept.take(caller, bytes);
    if (isStream) this.#streams.take(caller);
    if (connection) connection.inFlight++;
    return bytes;
  }

  /** Subtracts what `hold` has counted; with `after`, when this promise has settled. */
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

  /** Counts a long-lived stream that belongs to no call, until its connection closes. */
  openStandalone({ caller, http }: CallerRequest): void {
    const bytes = STREAM_BYTES + http.headerBytes;
    this.#streams.take(caller);
    this.#usage.kept.take(caller, bytes);
    // A bound function, because a closure would use three times the memory per stream.
    http.onClose(this.#closeStandalone.bind(this, caller, bytes));
  }

  #closeStandalone(caller: string, bytes: number): void {
    this.#streams.release(caller);
    this.#usage.kept.release(caller, bytes);
  }

  /** Returns the limits for reading the request's body, which also count the received bytes. */
  bodyOf(visit: CallerRequest): BodyReading {
    return new BodyReading(this.#bodies, visit, this.limits);
  }
}

/** Limits for one request body. Received bytes are counted until `end`. */
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
