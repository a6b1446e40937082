/** What one connection makes its server keep: params of running calls, its session, and messages that wait for that. */

import type { CallerRef } from './pool.ts';
import { callBytes, KeptBytes, type Usage } from './usage.ts';

/** Counts the running calls of all connections of a transport, where it bounds them. */
export interface RunningCalls {
  take(caller: string): void;
  release(caller: string): void;
}

/** The account of a connection, until it is closed. */
export class ConnectionUsage implements CallerRef {
  readonly caller: string;
  readonly #usage: Usage;
  readonly #running: RunningCalls | undefined;
  readonly #session: KeptBytes;
  #bytes = 0;
  #isClosed = false;

  constructor(usage: Usage, caller: string, running: RunningCalls | undefined) {
    this.caller = caller;
    this.#usage = usage;
    this.#running = running;
    this.#session = new KeptBytes(usage, caller, 0);
  }

  /** True if another message can be worked on. */
  get hasRoom(): boolean {
    return this.#usage.kept.hasRoom(this, 0);
  }

  /** Counts a message with these params as being worked on, until the returned account is released. */
  begin(params: unknown): KeptBytes {
    this.#running?.take(this.caller);
    const release = this.#running && ((): void => this.#running?.release(this.caller));
    return new KeptBytes(this.#usage, this.caller, callBytes(params), release);
  }

  /** Counts bytes that stay with the connection, or no longer if negative. False if there is no room for them. */
  grow(bytes: number): boolean {
    if (this.#isClosed || !this.#session.resize(this.#bytes + bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#session.release();
  }
}
