/** `LiveSession`: in-memory state of a session with running requests or open streams on this node; discarded when idle. */

import { ConnectionError } from '../../../jsonrpc/errors.ts';
import type { Id } from '../../../jsonrpc/message.ts';
import { InFlight } from '../../../server/connection/in-flight.ts';
import type { Beating } from './heartbeat.ts';
import type { SessionMessage } from './options.ts';
import type { PostRecording, RecordingPlace } from './recording.ts';
import type { Standalone } from './standalone.ts';

export interface LiveSessionHost {
  /** Called for the first request or stream that stays open. The session must be kept from expiring until `onIdle`. */
  stay(live: LiveSession): void;
  /** Resets the session's idle time in the store, and ends the session if the store no longer has it. */
  touch(live: LiveSession): void;
  /** Called when the session has no running request and no open stream on this node. */
  onIdle(live: LiveSession): void;
}

/** Requests and streams of one session on this node. Collections are created on first use, because most requests need none. */
export class LiveSession implements Beating, RecordingPlace {
  readonly id: string;
  standalone: Standalone | undefined;
  readonly #host: LiveSessionHost;
  #inFlight: InFlight | undefined;
  #recordings: Map<string, PostRecording> | undefined;
  /** Functions that end resumed POST streams, keyed by stream id. */
  #resumed: Map<string, () => void> | undefined;
  /** Ids of GET streams that are being opened. An id is removed when another stream replaces this one. */
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

  /** Keeps the session live until the matching `exit`. */
  enter(): void {
    this.#holds++;
  }

  exit(): void {
    if (--this.#holds > 0) return;
    this.#stays = false;
    this.#host.onIdle(this);
  }

  /** Like `enter`, for requests and streams that stay open: the session does not expire before the matching `exit`. */
  stay(): void {
    this.enter();
    if (this.#stays) return;
    this.#stays = true;
    this.#host.stay(this);
  }

  /** Calls `stay`. Returns a function that calls `exit` once. */
  hold(): () => void {
    this.stay();
    let isHeld = true;
    return () => {
      if (isHeld) this.exit();
      isHeld = false;
    };
  }

  /** Registers the stream of a POST by its stream id. */
  addRecording(name: string, recording: PostRecording): void {
    this.#recordings ??= new Map();
    this.#recordings.set(name, recording);
  }

  removeRecording(name: string): void {
    this.#recordings?.delete(name);
  }

  /** Registers a resumed stream with the function that ends it. Returns the function that removes the registration. */
  addResumed(name: string, end: () => void): () => void {
    const resumed = this.#resumed ?? new Map<string, () => void>();
    this.#resumed = resumed.set(name, end);
    return () => {
      if (resumed.get(name) === end) resumed.delete(name);
    };
  }

  beginOpening(name: string): void {
    this.#opening ??= new Set();
    this.#opening.add(name);
  }

  /** Returns false if the GET stream must not open, because another one replaced it or all streams were ended meanwhile. */
  endOpening(name: string): boolean {
    const isWanted = this.#opening?.delete(name) === true;
    // An empty set would use memory for as long as the stream is open.
    if (this.#opening?.size === 0) this.#opening = undefined;
    return isWanted;
  }

  /** True if a client reads the GET stream with this id on this node, or if the stream is being opened. */
  isReading(name: string): boolean {
    if (this.#opening?.has(name)) return true;
    return this.standalone?.name === name && this.standalone.isRead;
  }

  /** Resets the session's idle time, because running requests and open streams count as use. */
  beat(): void {
    this.#host.touch(this);
  }

  /** Ends the GET stream and all resumed streams. */
  endStreams(): void {
    this.#opening?.clear();
    this.standalone?.close();
    for (const end of [...(this.#resumed?.values() ?? [])]) end();
  }

  /** Ends the session on this node: cancels its requests and ends its streams. */
  end(): void {
    this.enter();
    this.inFlight.discardAll(new ConnectionError('closed', 'The session was ended'));
    this.endStreams();
    this.exit();
  }

  /** Processes a session message from this or another node. */
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

  // Offers a client's response to each POST stream, until one of them has the pending input request.
  #hand(isTakenBy: (recording: PostRecording) => boolean): void {
    for (const recording of this.#recordings?.values() ?? []) if (isTakenBy(recording)) return;
  }

  /** Closes a stream on this node, because its client reads it on another connection or node now. */
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
