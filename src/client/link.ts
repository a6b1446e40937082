/** `Link`: connects to a server, and reconnects after the transport connection has ended. */

import { ConnectionError, toError } from '../jsonrpc/errors.ts';
import { DEFAULT_MAXIMUM, DEFAULT_TIMEOUT, type TimeoutOptions } from '../jsonrpc/timeout-options.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import { PauseGroup } from '../timing/pause-group.ts';
import { sleep } from '../timing/sleep.ts';
import { Attempt } from './attempt.ts';
import { Conversation, type ConversationHost } from './conversation.ts';
import type { Dialer, DialHost } from './dialer.ts';
import { greet } from './greeting.ts';
import { asConnectionError, gaveUp, isPassing, notReplaced, refusalIn, withStderr } from './link-failures.ts';
import type { ConnectionOptions } from './options.ts';
import { profileOf, type ServerProfile } from './server-profile.ts';
import { ObservedState } from './state.ts';
import { Supervision } from './supervision.ts';
import { until } from './until.ts';

export interface LinkHost extends Omit<ConversationHost, 'onEnd'> {
  /** Profiles of servers from earlier connections, by `Dialer.key`. */
  readonly verdicts: Map<string, ServerProfile>;
  /** Called after each handshake; `again` is true after a reconnect. Calls wait until the promise resolves. */
  onBegin(conversation: Conversation, again: boolean): Promise<void>;
  /** Called when the transport connection has ended or an attempt to connect has failed. A reconnect can follow. */
  onPause(): void;
  /** Called after a sign-in, because cached data can belong to another user. */
  onSignIn(): void;
  /** Called when a new session has replaced one that the server had lost. */
  onSessionReplaced(): void;
}

const CONNECT_TIMEOUT = 2 * 60_000;
// A session lost within this many milliseconds, without any result and not for the first time, is not replaced again.
const FUTILE_MS = 10_000;

export class Link {
  readonly state: ObservedState;
  readonly #dialer: Dialer;
  readonly #options: ConnectionOptions;
  readonly #host: LinkHost;
  readonly #supervision: Supervision | undefined;
  /** Restart policy of lost sessions. They are replaced even without the option `restart`, because they are not crashes. */
  readonly #losses = new Supervision({ minDelayMs: 1000 });
  readonly #closing = new AbortController();
  readonly #over = new AbortController();
  readonly #clocks = new PauseGroup();
  #conversation: Conversation | undefined;
  /** The running reconnect; undefined if none is running. */
  #next: Promise<Conversation> | undefined;
  #failure: ConnectionError | undefined;
  /** The non-retryable authorization error, if that ended the connection. */
  #refusal: Error | undefined;
  #profile: ServerProfile | undefined;
  #closed: Promise<void> | undefined;
  /** Cleanups that run in the background. `close` waits for them. */
  readonly #endings = new Set<Promise<unknown>>();

  constructor(dialer: Dialer, options: ConnectionOptions, host: LinkHost) {
    this.#dialer = dialer;
    this.#options = options;
    this.#host = host;
    this.state = new ObservedState((error) => host.onError(error));
    const { restart } = options;
    if (restart && dialer.isRepeatable) this.#supervision = new Supervision(restart === true ? {} : restart);
  }

  /** Connects for the first time. A failure is not retried. */
  async open(): Promise<void> {
    try {
      await this.#connect(this.#options.signal, false);
    } catch (error) {
      // The caller gets no connection to close, so background work such as a sign-in is aborted here.
      this.#closing.abort(this.#fail(asConnectionError(error)));
      throw error;
    }
  }

  /** Returns the transport connection. Waits during a reconnect. `what` is the name of the call in error messages. */
  async conversation(
    patience: TimeoutOptions & { signal?: AbortSignal | undefined },
    what: string,
  ): Promise<Conversation> {
    const { timeout = this.#options.timeout ?? DEFAULT_TIMEOUT, signal } = patience;
    const { maxTimeout = this.#options.maxTimeout ?? DEFAULT_MAXIMUM } = patience;
    if (this.#conversation) return this.#conversation;
    if (!this.#next)
      throw this.#refusal ?? this.#failure ?? new ConnectionError('not-connected', 'The connection is not open');
    return until(this.#next, { what, timeout: Math.min(timeout, maxTimeout), signals: [signal], group: this.#clocks });
  }

  /** The transport connection; undefined during a reconnect. */
  get present(): Conversation | undefined {
    return this.#conversation;
  }

  /** Aborts when the connection has ended and will not reconnect. The reason is the error. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Profile of the server; undefined before the first handshake. */
  get profile(): ServerProfile | undefined {
    return this.#profile;
  }

  /** True during a reconnect. A lost call can then be sent again. */
  get isComingBack(): boolean {
    return this.#next !== undefined;
  }

  /** True if a server process that exits is restarted. */
  get isSupervised(): boolean {
    return this.#supervision !== undefined;
  }

  /** Closes the connection. Resolves when all transports are disconnected and all server processes have ended. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const conversation = this.#conversation;
    this.#conversation = undefined;
    this.#failure ??= new ConnectionError('closed', 'The connection was closed');
    this.state.set('closed');
    this.#closing.abort(this.#failure);
    this.#over.abort(this.#failure);
    await Promise.all([conversation?.close(this.#failure), this.#next?.catch(() => {})]);
    await Promise.all(this.#endings);
  }

  async #connect(signal: AbortSignal | undefined, again: boolean): Promise<Conversation> {
    const attempt = new Attempt(this.#dialer, this.#dialHost(), (transport) => this.#converse(transport));
    try {
      const conversation = await until(this.#greet(attempt, again), {
        what: `Connecting to ${this.#dialer.name}`,
        timeout: this.#options.connectTimeout ?? CONNECT_TIMEOUT,
        signals: [this.#closing.signal, signal],
        group: this.#clocks,
      });
      // Synchronous from here on, so that the connection cannot end or be closed in between.
      this.#closing.signal.throwIfAborted();
      conversation.ended.throwIfAborted();
      this.#conversation = conversation;
      this.#next = undefined;
      this.state.set('ready');
      return conversation;
    } catch (error) {
      this.#host.onPause();
      // Not awaited, so that the caller gets the error at once. `close` waits for the cleanup.
      this.#endLater(attempt.giveUp(asConnectionError(error)));
      throw withStderr(error instanceof Error ? error : asConnectionError(error), attempt.stderr);
    }
  }

  async #greet(attempt: Attempt, again: boolean): Promise<Conversation> {
    const { key, isRepeatable, isHttp } = this.#dialer;
    const { verdicts } = this.#host;
    const { revision: mode = 'auto', profile: prior } = this.#options;
    const known = key === undefined ? undefined : verdicts.get(key);
    const conversation = await greet({
      client: this.#host.client,
      options: this.#options,
      known,
      canRedial: isRepeatable,
      isHttp,
      deadline: Date.now() + (this.#options.connectTimeout ?? CONNECT_TIMEOUT),
      open: () => attempt.open(),
      openOld: attempt.openOld,
    });
    const before = mode === 'auto' ? (prior ?? known) : undefined;
    this.#profile = profileOf(conversation.revision, conversation.server, before);
    // Only a negotiated revision is cached, not one that an option has set.
    if (key !== undefined && mode === 'auto') verdicts.set(key, this.#profile);
    await this.#host.onBegin(conversation, again);
    return conversation;
  }

  #endLater(ending: Promise<unknown>): void {
    const settled = ending
      .catch((error: unknown) => this.#host.onError(toError(error)))
      .finally(() => this.#endings.delete(settled));
    this.#endings.add(settled);
  }

  #dialHost(): DialHost {
    return {
      signal: this.#closing.signal,
      pauseTimeouts: () => this.#pauseTimeouts(),
      onSignIn: () => this.#host.onSignIn(),
    };
  }

  #pauseTimeouts(): () => void {
    const go = this.#clocks.hold();
    this.state.set('needs-auth');
    return () => {
      go();
      this.state.set(this.#conversation ? 'ready' : this.#next ? 'reconnecting' : 'connecting');
    };
  }

  #converse(transport: Transport): Conversation {
    const host = this.#host;
    const conversation: Conversation = new Conversation(
      transport,
      {
        get client() {
          return host.client;
        },
        requestMeta: (method, params, to) => host.requestMeta(method, params, to),
        answer: (request, signal, from) => host.answer(request, signal, from),
        isQuestion: (method) => host.isQuestion(method),
        onNotification: (notification, from) => host.onNotification(notification, from),
        onError: (error) => host.onError(error),
        onGap: () => host.onGap(),
        onDeaf: () => host.onDeaf(),
        onEnd: (cause) => this.#ended(conversation, cause),
      },
      this.#options,
    );
    const forget = this.#clocks.add(() => conversation.holdClocks());
    conversation.ended.addEventListener('abort', forget, { once: true });
    return conversation;
  }

  #ended(conversation: Conversation, cause: ConnectionError): void {
    if (conversation !== this.#conversation) return;
    this.#conversation = undefined;
    this.#host.onPause();
    // Not awaited, because a server process can take a while to exit.
    this.#endLater(conversation.close(cause));
    if (this.state.isFinal) return;
    const isSessionLost = cause.code === 'session-lost' && this.#dialer.isRepeatable;
    if (isSessionLost) this.#comeBack(this.#replaceSession(cause, conversation));
    else if (this.#supervision) this.#comeBack(this.#connectAgain(this.#supervision, cause));
    else this.#fail(cause);
  }

  #comeBack(next: Promise<Conversation>): void {
    this.#next = next;
    this.state.set('reconnecting');
    // Waiting calls get the error. Without them, the rejection would be unhandled.
    next.catch(() => {});
  }

  // The first lost session is replaced at once, because a call is waiting. Further losses and failures add a backoff delay.
  async #replaceSession(cause: ConnectionError, lost?: Conversation): Promise<Conversation> {
    const delay = this.#losses.crashed();
    const isFirst = this.#losses.recent === 1;
    const isFutile = lost && !isFirst && !lost.hasAnswered && Date.now() - lost.since < FUTILE_MS;
    const isHopeless = delay === undefined || isFutile;
    try {
      if (isHopeless) throw cause;
      if (!isFirst) await sleep(delay, this.#closing.signal);
      if (this.#closing.signal.aborted) throw this.#failure;
      const next = await this.#connect(undefined, true);
      this.#host.onSessionReplaced();
      return next;
    } catch (error) {
      if (this.#closing.signal.aborted) throw this.#failure;
      this.#checkRefusal(error);
      const last = asConnectionError(error);
      if (this.#supervision) return this.#connectAgain(this.#supervision, last);
      if (isHopeless || !isPassing(last)) throw this.#fail(notReplaced(last));
      // Waiting calls fail now. New calls wait for the next attempt.
      this.#comeBack(this.#replaceSession(last));
      throw notReplaced(last);
    }
  }

  async #connectAgain(supervision: Supervision, cause: ConnectionError): Promise<Conversation> {
    let last = cause;
    for (;;) {
      if (this.#closing.signal.aborted) throw this.#failure;
      const delay = supervision.crashed();
      if (delay === undefined) throw this.#fail(gaveUp(this.#dialer.name, supervision, last));
      await Promise.all([sleep(delay, this.#closing.signal), ...this.#endings]);
      if (this.#closing.signal.aborted) throw this.#failure;
      try {
        return await this.#connect(undefined, true);
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#checkRefusal(error);
        last = asConnectionError(error);
      }
    }
  }

  // After a non-retryable authorization error, reconnecting would fail too, and would prompt the user each time.
  #checkRefusal(error: unknown): void {
    const refusal = refusalIn(error);
    if (!refusal) return;
    this.#fail(asConnectionError(refusal));
    this.#refusal = refusal;
    throw refusal;
  }

  #fail(error: ConnectionError): ConnectionError {
    this.#next = undefined;
    this.#failure ??= error;
    const isClean = error.code === 'closed' && !error.cause && !error.process;
    this.state.set(isClean ? 'closed' : 'failed');
    this.#over.abort(this.#failure);
    return error;
  }
}
