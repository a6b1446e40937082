/** `Audience`: GET streams that share one subscription to the server's changes. */

import type { ServerEvent } from '../../../protocol/model/changes.ts';

/** Subscribes to changes when the first stream joins, and unsubscribes when the last stream leaves. */
export class Audience<Stream> {
  readonly #watch: (listener: (change: ServerEvent) => void) => () => void;
  readonly #tell: (stream: Stream, change: ServerEvent) => void;
  readonly #streams = new Set<Stream>();
  #unwatch: (() => void) | undefined;

  /** `watch` subscribes and returns the function that unsubscribes. `tell` sends a change to one stream and must not throw. */
  constructor(
    watch: (listener: (change: ServerEvent) => void) => () => void,
    tell: (stream: Stream, change: ServerEvent) => void,
  ) {
    this.#watch = watch;
    this.#tell = tell;
  }

  get streams(): Iterable<Stream> {
    return this.#streams;
  }

  join(stream: Stream): void {
    this.#streams.add(stream);
    this.#unwatch ??= this.#watch((change) => {
      for (const one of [...this.#streams]) this.#tell(one, change);
    });
  }

  leave(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }
}
