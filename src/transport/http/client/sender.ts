/** Interfaces for sending one HTTP request and reading its response, over node:http or `fetch`. */

import type { HeaderFields } from '../../../client/http-options.ts';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  /** Keyed by lower-case name. */
  readonly headers: HeaderFields;
  readonly body: string | undefined;
  /** True if the request is idempotent: it may be sent again if the reused connection was closed by the server. */
  readonly repeatable: boolean;
}

/** Status and header fields of an HTTP response. */
export interface ResponseHead {
  readonly status: number;
  /** Returns the value of a header field. `name` must be in lower case. */
  header(name: string): string | undefined;
}

/** Callbacks for one response. The last call is `onEnd` or `onFail`; an aborted request gets neither. */
export interface ResponseReader {
  onHead(head: ResponseHead): void;
  /** Called with a part of the body. A returned promise signals backpressure: the next call waits for it. Must not reject. */
  onChunk(bytes: Uint8Array): void | Promise<void>;
  /** Called at the end of the body. */
  onEnd(): void;
  /** Called if no response arrives, or if the response ends early. */
  onFail(error: Error): void;
}

/** Sends HTTP requests to one origin. */
export interface RequestSender {
  /**
   * Sends a request; throws if it cannot be written. The returned function aborts without callbacks. `reader` must not throw.
   */
  send(request: OutgoingRequest, reader: ResponseReader): () => void;
  /** Closes the connections that are kept open for reuse. On Node, open requests break off as well. */
  close(): void;
}
