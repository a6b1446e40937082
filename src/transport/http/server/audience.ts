/** Streams that are told the same of changes: one watcher for all of them. */

import type { ServerEvent } from '../../../protocol/model/changes.ts';

/** Watches for as long as there is a stream to tell. */
export class Audience<Stream> {
  readonly #watch: (listener: (change: ServerEvent) => void) => () => void;
  readonly #tell: (stream: Stream, change: ServerEvent) => void;
  readonly #streams = new Set<Stream>();
  #unwatch: (() => void) | undefined;

  /** `tell` must not throw. */
  constructor(
    watch: (listener: (change: ServerEvent) => void) => () => void,
    tell: (stream: Stream, change: ServerEvent) => void,
  ) {
    this.#watch = watch;
    this.#tell = tell;
  }

  /** The streams that get the notifications. */
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
