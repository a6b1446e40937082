/** What goes on in a session on this node. A session that nothing goes on in has none. */

import { ConnectionError } from '../../../jsonrpc/errors.ts';
import type { Id } from '../../../jsonrpc/message.ts';
import { InFlight } from '../../../server/in-flight.ts';
import type { Beating } from './heartbeat.ts';
import type { Letter } from './options.ts';
import type { PostRecording } from './recording.ts';
import type { Standalone } from './standalone.ts';

/** What a live session needs of its endpoint. */
export interface LiveSessionHost {
  /** Reads the session's letters until the returned function is called. */
  read(reader: (letter: Letter) => void): () => void;
  /** The session is in use, or was ended elsewhere. */
  touch(): void;
  /** Nothing goes on any more. */
  onIdle(): void;
}

/** Requests, questions and streams of one session. */
export class LiveSession implements Beating {
  readonly inFlight: InFlight = new InFlight();
  standalone: Standalone | undefined;
  readonly #host: LiveSessionHost;
  readonly #recordings = new Map<string, PostRecording>();
  /** The ends of streams that were resumed, by name. */
  readonly #resumed = new Map<string, () => void>();
  readonly #unread: () => void;
  #holds = 0;

  constructor(host: LiveSessionHost) {
    this.#host = host;
    this.#unread = host.read((letter) => this.#take(letter));
  }

  /** Something goes on until the returned function is called. */
  hold(): () => void {
    this.#holds++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.#holds > 0) return;
      this.#unread();
      this.#host.onIdle();
    };
  }

  /** A post has a stream with this name. */
  addRecording(name: string, recording: PostRecording): void {
    this.#recordings.set(name, recording);
  }

  removeRecording(name: string | undefined): void {
    if (name !== undefined) this.#recordings.delete(name);
  }

  /** A stream that was resumed is open until the returned function is called. */
  addResumed(name: string, end: () => void): () => void {
    this.#resumed.set(name, end);
    return () => {
      if (this.#resumed.get(name) === end) this.#resumed.delete(name);
    };
  }

  /** In-flight work counts as use. */
  beat(): void {
    this.#host.touch();
  }

  /** Ends the streams that stay open. */
  endStreams(): void {
    this.standalone?.close();
    for (const end of [...this.#resumed.values()]) end();
  }

  /** The session is over. */
  end(): void {
    const hold = this.hold();
    this.inFlight.dropAll(new ConnectionError('closed', 'The session was ended'));
    this.endStreams();
    hold();
  }

  #take(letter: Letter): void {
    if (letter.type === 'ended') this.end();
    else if (letter.type === 'cancelled') this.#cancel(letter.requestId, letter.reason);
    else if (letter.type === 'resumed') this.#leave(letter.stream);
    else if (letter.type === 'response') {
      for (const recording of this.#recordings.values()) if (recording.settle(letter.response)) return;
    } else {
      const error = new ConnectionError('malformed', letter.message);
      for (const recording of this.#recordings.values()) if (recording.fail(letter.id, error)) return;
    }
  }

  // A stream has one reader, and that is elsewhere now.
  #leave(stream: string): void {
    if (this.standalone?.name === stream) this.standalone.close();
    this.#recordings.get(stream)?.post?.detach();
    this.#resumed.get(stream)?.();
  }

  #cancel(requestId: unknown, reason: unknown): void {
    const text = typeof reason === 'string' ? reason : 'Cancelled by the client';
    this.inFlight.cancel(requestId as Id, new ConnectionError('aborted', text));
  }
}
