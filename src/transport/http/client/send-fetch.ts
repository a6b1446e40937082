/** `requestSender` over `fetch`: that of the runtime, or that of the option `fetch`. */

import type { OutgoingRequest, RequestSender, ResponseReader } from './sender.ts';

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
    // Cancels the body for implementations of `fetch` that ignore the signal.
    this.#body?.cancel().catch(() => {});
  }

  async run(send: typeof fetch, { method, url, headers, body }: OutgoingRequest): Promise<void> {
    const { signal } = this.#abort;
    try {
      // `Requester` checks the target of a redirect before it follows the redirect.
      const options = { method, headers, signal, redirect: 'manual' } as const;
      const response = await send(url.href, body === undefined ? options : { ...options, body });
      if (signal.aborted) {
        await response.body?.cancel();
        return;
      }
      this.#reader.onHead({
        // Browsers hide the status and the target of a redirect.
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
    // If `hangUp` was called before the body was known, the body is still open.
    await body.cancel();
  }
}
