/** State of a connection, with listeners. */

import { callGuarded } from '../jsonrpc/errors.ts';

/**
 * `connecting`: before the first handshake is complete. `ready`: connected. `reconnecting`: after a lost connection.
 * `needs-auth`: the user has to sign in. `failed`: ended by an error. `closed`: closed by either side.
 */
export type ConnectionState = 'connecting' | 'ready' | 'reconnecting' | 'needs-auth' | 'failed' | 'closed';

/** Called with the new state. */
export type StateListener = (state: ConnectionState) => void;

/** A state with listeners. Errors in listeners go to `onError`. */
export class ObservedState {
  readonly #listeners = new Set<StateListener>();
  readonly #onError: (error: Error) => void;
  #state: ConnectionState = 'connecting';

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  get(): ConnectionState {
    return this.#state;
  }

  get isFinal(): boolean {
    return this.#state === 'failed' || this.#state === 'closed';
  }

  set(state: ConnectionState): void {
    if (state === this.#state || this.isFinal) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) callGuarded(() => listener(state), this.#onError);
  }

  /** Calls the listener on each change, until the returned function is called. */
  subscribe(listener: StateListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
