/** `FetchExchange`: a web-standard `Request` as `HttpExchange`. */

import {
  type Body,
  type BodyLimits,
  type Fields,
  type HttpExchange,
  NO_SNIFFING,
  type Outlet,
} from './http-exchange.ts';

// Status that nginx logs if a client disconnects before the response.
const CLIENT_CLOSED_REQUEST = 499;

const encoder = new TextEncoder();

/** Wraps a `Request`. `respond` gets the `Response`. A second call, possible after a disconnect, must have no effect. */
export class FetchExchange implements HttpExchange {
  readonly method: string;
  // A `Request` exposes neither the client's address nor the connection.
  readonly address = undefined;
  readonly connection = undefined;
  readonly #request: Request;
  readonly #respond: (response: Response) => void;
  readonly #listeners = new Set<() => void>();
  #isClosed = false;
  #headers: ReadonlyMap<string, string> | undefined;

  constructor(request: Request, respond: (response: Response) => void) {
    this.#request = request;
    this.#respond = respond;
    this.method = request.method;
  }

  get raw(): Request {
    return this.#request;
  }

  get target(): string {
    const { pathname, search } = new URL(this.#request.url);
    return pathname + search;
  }

  get isSecure(): boolean {
    return this.#request.url.startsWith('https:');
  }

  header(name: string): string | undefined {
    // Some runtimes hide the `Host` header field, but all of them build the URL from it.
    return this.#request.headers.get(name) ?? (name === 'host' ? new URL(this.#request.url).host : undefined);
  }

  get headerBytes(): number {
    let bytes = 0;
    for (const [name, value] of this.#request.headers) bytes += name.length + value.length;
    return bytes;
  }

  get headers(): ReadonlyMap<string, string> {
    this.#headers ??= new Map(this.#request.headers);
    return this.#headers;
  }

  readBody(limits: BodyLimits, done: (body: Body) => void): void {
    if (this.#request.bodyUsed) done('read already');
    else void readAll(this.#request.body, limits).then(done);
  }

  reply(status: number, fields: Fields, body?: string): undefined {
    // The header field `Connection` is dropped, because the runtime manages connections.
    const { connection: _, ...headers } = { ...NO_SNIFFING, ...fields };
    this.#respond(new Response(this.method === 'HEAD' ? null : (body ?? null), { status, headers }));
    this.#close();
  }

  stream(fields: Fields): Outlet {
    const { signal } = this.#request;
    // Closes the stream without an error: frameworks that forward the stream would log a client's disconnect as a failure.
    const onAbort = (): void => outlet.end();
    const outlet = new StreamOutlet(() => {
      signal.removeEventListener('abort', onAbort);
      this.#close();
    });
    signal.addEventListener('abort', onAbort, { once: true });
    this.#respond(new Response(outlet.stream, { status: 200, headers: { ...NO_SNIFFING, ...fields } }));
    if (signal.aborted) outlet.end();
    return outlet;
  }

  onClose(listener: () => void): void {
    const { signal } = this.#request;
    if (signal.aborted) this.#giveUp();
    if (this.#isClosed) {
      queueMicrotask(listener);
      return;
    }
    if (this.#listeners.size === 0) signal.addEventListener('abort', this.#giveUp, { once: true });
    this.#listeners.add(listener);
  }

  // The client has disconnected, but the runtime still waits for a `Response`.
  readonly #giveUp = (): void => {
    this.#respond(new Response(null, { status: CLIENT_CLOSED_REQUEST }));
    this.#close();
  };

  readonly #close = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#request.signal.removeEventListener('abort', this.#giveUp);
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  };
}

class StreamOutlet implements Outlet {
  readonly connection = undefined;
  readonly stream: ReadableStream<Uint8Array>;
  readonly #onClose: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#closed(),
      },
      { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  get waiting(): number {
    return -(this.#controller?.desiredSize ?? 0);
  }

  get queued(): number {
    return 0;
  }

  get closed(): boolean {
    return this.#controller === undefined;
  }

  get done(): boolean {
    return this.closed;
  }

  write(text: string): void {
    this.#controller?.enqueue(encoder.encode(text));
  }

  end(): void {
    this.#controller?.close();
    this.#closed();
  }

  cut(): void {
    this.#controller?.error(new Error('The stream was broken off'));
    this.#closed();
  }

  #closed(): void {
    if (!this.#controller) return;
    this.#controller = undefined;
    this.#onClose();
  }
}

async function readAll(stream: ReadableStream<Uint8Array> | null, limits: BodyLimits): Promise<Body> {
  if (!stream) return new Uint8Array(0);
  if (stream.locked) return 'read already';
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void reader.cancel().catch(() => {});
  }, limits.milliseconds);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) return 'too slow';
      if (done) return joined(chunks, length);
      length += value.byteLength;
      if (length > limits.bytes) {
        void reader.cancel().catch(() => {});
        return 'too large';
      }
      if (!limits.hasRoom(value.byteLength)) {
        void reader.cancel().catch(() => {});
        return 'no room';
      }
      chunks.push(value);
    }
  } catch {
    return isLate ? 'too slow' : 'cut off';
  } finally {
    clearTimeout(timer);
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1 && chunks[0]) return chunks[0];
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}
