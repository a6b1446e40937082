/** `SlowPeer`: detects a peer that does not read what it is sent. */

/** Watches the sends of one connection. The peer is slow while a send is pending for more than one event loop iteration. */
export class SlowPeer {
  readonly #onError: (error: Error) => void;
  #slowSends = 0;
  #lastSend: Promise<unknown> | undefined;

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  /** True while a send has been pending for more than one iteration of the event loop. */
  get isSlow(): boolean {
    return this.#slowSends > 0;
  }

  /** Watches a send until it settles. A rejection goes to `onError`. */
  watch(sent: Promise<unknown>): void {
    // A transport may return the same promise for many messages: it is watched once.
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
