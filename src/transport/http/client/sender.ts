/** A request of ours and the response as it arrives: what every way of sending requests has in common. */

import type { HeaderFields } from '../../../client/http-options.ts';

/** A request, ready to be sent. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  /** By name in lower case. */
  readonly headers: HeaderFields;
  readonly body: string | undefined;
  /** It may be sent once more if a connection that was kept open turns out to be gone. */
  readonly repeatable: boolean;
}

/** What a response says before its body. */
export interface ResponseHead {
  readonly status: number;
  /** A header field, by its name in lower case. */
  header(name: string): string | undefined;
}

/** Takes a response in. The last it is told is `onEnd` or `onFail`. */
export interface ResponseReader {
  onHead(head: ResponseHead): void;
  /** A part of the body. A promise means: nothing more until it resolves. It never rejects. */
  onChunk(bytes: Uint8Array): void | Promise<void>;
  /** The body is complete, as far as HTTP can tell. */
  onEnd(): void;
  /** There is no response, or only a part of one. */
  onFail(error: Error): void;
}

/** Sends requests to one origin. */
export interface RequestSender {
  /**
   * Sends a request; what its response is told to never throws. The returned function hangs up: nothing is told any more.
   * Throws if the request cannot be written.
   */
  send(request: OutgoingRequest, reader: ResponseReader): () => void;
  /** Lets go of what is kept open. Requests that are on their way are not ended. */
  close(): void;
}
