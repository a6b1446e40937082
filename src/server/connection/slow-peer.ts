/** `SlowPeer`: detects a peer that does not read its messages (backpressure). */

/** Watches the sends of one connection. The peer is slow while a send is pending for more than one event loop iteration. */
export class SlowPeer {
  readonly #onError: (error: Error) => void;
  #slowSends = 0;
  #lastSend: Promise<unknown> | undefined;

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  get isSlow(): boolean {
    return this.#slowSends > 0;
  }

  /** Watches a send until its promise settles. A rejection goes to `onError`. */
  watch(sent: Promise<unknown>): void {
    // A transport can return the same promise for several messages. The promise is watched only once.
    if (sent === this.#lastSend) return;
    this.#lastSend = sent;
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.#slowSends++;
    }, 0);
    sent.catch(this.#onError).finally(() => {
      clearTimeout(timer);
      if (isSlow) this.#slowSends--;
      if (this.#lastSend === sent) this.#lastSend = undefined;
    });
  }
}
