/** Whether a peer reads what it is sent. A transport may be asynchronous without being slow: only what takes more than a turn is unread. */

/** Counts what was sent and is not read. */
export class SlowPeer {
  readonly #onError: (error: Error) => void;
  #count = 0;
  /** What the last send waits for. */
  #awaited: Promise<unknown> | undefined;

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  /** The peer does not read. */
  get isAny(): boolean {
    return this.#count > 0;
  }

  /** Something is on its way until this settles. */
  watch(sent: Promise<unknown>): void {
    // Many messages may wait for the same.
    if (sent === this.#awaited) return;
    this.#awaited = sent;
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.#count++;
    }, 0);
    sent.catch(this.#onError).finally(() => {
      clearTimeout(timer);
      if (isSlow) this.#count--;
      if (this.#awaited === sent) this.#awaited = undefined;
    });
  }
}
