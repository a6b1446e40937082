/** What a connection is doing, for those who want to see it change. */

import { callGuarded } from '../jsonrpc/errors.ts';

/**
 * `connecting` until the server has answered; `ready`; `reconnecting` after a loss; `needs-auth` while a person has to
 * sign in; `failed` if it ended by itself for good; `closed` if it was closed, by either side.
 */
export type ConnectionState = 'connecting' | 'ready' | 'reconnecting' | 'needs-auth' | 'failed' | 'closed';

/** Is told the new state. */
export type StateListener = (state: ConnectionState) => void;

/** A state that can be watched. What a listener throws goes to `onError` and harms nobody. */
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

  /** True when nothing will ever change again. */
  get isFinal(): boolean {
    return this.#state === 'failed' || this.#state === 'closed';
  }

  set(state: ConnectionState): void {
    if (state === this.#state || this.isFinal) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) callGuarded(() => listener(state), this.#onError);
  }

  /** Tells the listener from now on, until the returned function is called. */
  subscribe(listener: StateListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
