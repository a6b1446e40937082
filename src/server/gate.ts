/** Where messages of a connection wait while something is loaded that they need, and go on in their order. */

import { guarded } from '../jsonrpc/errors.ts';
import { type Later, later } from '../jsonrpc/later.ts';
import { isBatch } from '../jsonrpc/message.ts';
import type { Payload } from '../jsonrpc/parse.ts';
import { loadingOf } from '../protocol/pick.ts';
import { Held } from './held.ts';

/** What answers batches, which only few revisions have. */
export const batches: Later<typeof import('./batch.ts')> = later(() => import('./batch.ts'));

/** What a gate needs of its connection. */
export interface GateHost {
  onMessage(payload: Payload): void;
  onError(error: Error): void;
  /** What a message needs could not be loaded. */
  refuse(payload: Payload, cause: unknown): void;
}

/** Open, unless something is loaded: then everything waits, so that nothing is overtaken. */
export class Gate {
  readonly #host: GateHost;
  readonly #held = new Held();
  /** Set while it is closed; for ever, and rejected, if nobody can be let in. */
  ready: Promise<void> | undefined;

  constructor(host: GateHost) {
    this.#host = host;
  }

  /** Closed from the beginning, until it is known how to serve whoever is there. */
  closeUntil(known: Promise<void>): void {
    this.#held.begin();
    this.ready = known.then(() => this.#open());
  }

  /** True for what has to wait. The first message that needs something has it loaded. */
  holds(payload: Payload): boolean {
    if (this.#held.takes(payload)) return true;
    const loading = isBatch(payload) ? batches.load() : loadingOf(payload);
    if (!loading) return false;
    this.#held.begin();
    this.#held.takes(payload);
    this.ready = loading.then(
      () => this.#open(),
      (cause) => this.#open(payload, cause),
    );
    return true;
  }

  /** Settles when nothing that has come waits any more. */
  async idle(): Promise<void> {
    for (let last: Promise<void> | undefined; last !== this.ready; await last?.catch(() => {})) last = this.ready;
  }

  // If something cannot be loaded, the next message that needs it tries again.
  #open(failed?: Payload, cause?: unknown): void {
    this.ready = undefined;
    for (const payload of this.#held.end()) {
      const take = (): void => (payload === failed ? this.#host.refuse(payload, cause) : this.#host.onMessage(payload));
      guarded(take, (error) => this.#host.onError(error));
    }
  }
}
