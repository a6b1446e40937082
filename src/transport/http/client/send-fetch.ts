/** Requests over `fetch`: the runtime's own, or one that somebody gave us. */

import type { OutgoingRequest, RequestSender, ResponseReader } from './sender.ts';

/** Sends requests with `send`. */
export async function requestSender(_origin: URL, send: typeof fetch = fetch): Promise<RequestSender> {
  return {
    send(request, reader) {
      const exchange = new FetchExchange(reader);
      void exchange.run(send, request);
      return () => exchange.hangUp();
    },
    close() {},
  };
}

class FetchExchange {
  readonly #reader: ResponseReader;
  readonly #abort = new AbortController();
  #body: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(reader: ResponseReader) {
    this.#reader = reader;
  }

  hangUp(): void {
    this.#abort.abort();
    // A fetch that does not heed its signal is told in the other way.
    this.#body?.cancel().catch(() => {});
  }

  async run(send: typeof fetch, { method, url, headers, body }: OutgoingRequest): Promise<void> {
    const { signal } = this.#abort;
    try {
      // Where a redirect leads to is looked at before it is followed.
      const options = { method, headers, signal, redirect: 'manual' } as const;
      const response = await send(url.href, body === undefined ? options : { ...options, body });
      if (signal.aborted) {
        await response.body?.cancel();
        return;
      }
      this.#reader.onHead({
        // A browser does not say where a redirect leads, nor which it was.
        status: response.type === 'opaqueredirect' ? 302 : response.status,
        header: (name) => response.headers.get(name) ?? undefined,
      });
      if (response.body) await this.#read(response.body.getReader());
      if (!signal.aborted) this.#reader.onEnd();
    } catch (error) {
      if (!signal.aborted) this.#reader.onFail(error instanceof Error ? error : new Error('fetch failed'));
    }
  }

  async #read(body: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const { signal } = this.#abort;
    this.#body = body;
    while (!signal.aborted) {
      const { done, value } = await body.read();
      if (done) return;
      if (!signal.aborted) await this.#reader.onChunk(value);
    }
    // It was hung up before there was a body to be told.
    await body.cancel();
  }
}
