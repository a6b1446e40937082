/** What goes on in a session on this node. A session that nothing goes on in has none. */

import { ConnectionError } from '../../../jsonrpc/errors.ts';
import type { Id } from '../../../jsonrpc/message.ts';
import { InFlight } from '../../../server/connection/in-flight.ts';
import type { Beating } from './heartbeat.ts';
import type { SessionMessage } from './options.ts';
import type { PostRecording, RecordingPlace } from './recording.ts';
import type { Standalone } from './standalone.ts';

/** What live sessions need of their endpoint. */
export interface LiveSessionHost {
  /** Something goes on in it for longer than a moment. */
  stay(live: LiveSession): void;
  /** The session is in use, or was ended elsewhere. */
  touch(live: LiveSession): void;
  /** Nothing goes on in it any more. */
  onIdle(live: LiveSession): void;
}

/** Requests, questions and streams of one session. Most that goes on is over at once, and needs nothing of this. */
export class LiveSession implements Beating, RecordingPlace {
  readonly id: string;
  standalone: Standalone | undefined;
  readonly #host: LiveSessionHost;
  #inFlight: InFlight | undefined;
  #recordings: Map<string, PostRecording> | undefined;
  /** The ends of streams that were resumed, by name. */
  #resumed: Map<string, () => void> | undefined;
  /** Names of GET streams that are being opened, as long as no other has taken their place. */
  #opening: Set<string> | undefined;
  #stays = false;
  #holds = 0;

  constructor(id: string, host: LiveSessionHost) {
    this.id = id;
    this.#host = host;
  }

  get inFlight(): InFlight {
    this.#inFlight ??= new InFlight();
    return this.#inFlight;
  }

  /** Something goes on until `exit` is called. */
  enter(): void {
    this.#holds++;
  }

  exit(): void {
    if (--this.#holds > 0) return;
    this.#stays = false;
    this.#host.onIdle(this);
  }

  /** Something goes on for longer than a moment, until `exit` is called. */
  stay(): void {
    this.enter();
    if (this.#stays) return;
    this.#stays = true;
    this.#host.stay(this);
  }

  /** The same, until the returned function is called. */
  hold(): () => void {
    this.stay();
    let isHeld = true;
    return () => {
      if (isHeld) this.exit();
      isHeld = false;
    };
  }

  /** A post has a stream with this name. */
  addRecording(name: string, recording: PostRecording): void {
    this.#recordings ??= new Map();
    this.#recordings.set(name, recording);
  }

  removeRecording(name: string): void {
    this.#recordings?.delete(name);
  }

  /** A stream that was resumed is open until the returned function is called. */
  addResumed(name: string, end: () => void): () => void {
    const resumed = this.#resumed ?? new Map<string, () => void>();
    this.#resumed = resumed.set(name, end);
    return () => {
      if (resumed.get(name) === end) resumed.delete(name);
    };
  }

  /** A GET stream with this name is being opened. */
  beginOpening(name: string): void {
    this.#opening ??= new Set();
    this.#opening.add(name);
  }

  /** The GET stream is open, or will not be. False if another has taken its place, or if all streams were ended meanwhile. */
  endOpening(name: string): boolean {
    const isWanted = this.#opening?.delete(name) === true;
    // An empty set would take memory for as long as the stream is open.
    if (this.#opening?.size === 0) this.#opening = undefined;
    return isWanted;
  }

  /** True if a client reads the GET stream with this name here, or is about to. */
  isReading(name: string): boolean {
    if (this.#opening?.has(name)) return true;
    return this.standalone?.name === name && this.standalone.isRead;
  }

  /** In-flight work counts as use. */
  beat(): void {
    this.#host.touch(this);
  }

  /** Ends the streams that stay open. */
  endStreams(): void {
    this.#opening?.clear();
    this.standalone?.close();
    for (const end of [...(this.#resumed?.values() ?? [])]) end();
  }

  /** The session is over. */
  end(): void {
    this.enter();
    this.inFlight.discardAll(new ConnectionError('closed', 'The session was ended'));
    this.endStreams();
    this.exit();
  }

  /** Processes a message from this or another node. */
  receive(message: SessionMessage): void {
    if (message.type === 'ended') this.end();
    else if (message.type === 'cancelled') this.#cancel(message.requestId, message.reason);
    else if (message.type === 'resumed') this.endReader(message.stream);
    else if (message.type === 'response') this.#hand((recording) => recording.settle(message.response));
    else if (message.type === 'malformed') {
      const error = new ConnectionError('malformed', message.message);
      this.#hand((recording) => recording.fail(message.id, error));
    }
  }

  // To the first that takes it.
  #hand(isTakenBy: (recording: PostRecording) => boolean): void {
    for (const recording of this.#recordings?.values() ?? []) if (isTakenBy(recording)) return;
  }

  /** Ends a stream for its client here: a stream has one reader, and that is elsewhere now. */
  endReader(stream: string): void {
    this.#opening?.delete(stream);
    if (this.standalone?.name === stream) this.standalone.close();
    this.#recordings?.get(stream)?.post?.detach();
    this.#resumed?.get(stream)?.();
  }

  #cancel(requestId: unknown, reason: unknown): void {
    const text = typeof reason === 'string' ? reason : 'Cancelled by the client';
    this.inFlight.cancel(requestId as Id, new ConnectionError('aborted', text));
  }
}
