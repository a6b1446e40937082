/** `Core`: creates the parts of a `Connection` and connects them with each other. */

import { callGuarded } from '../jsonrpc/errors.ts';
import type { Notification, Params } from '../jsonrpc/message.ts';
import { runMiddleware } from '../jsonrpc/middleware.ts';
import type { PendingRequestDetails } from '../jsonrpc/pending-requests.ts';
import { revisionNamed } from '../protocol/client-revisions.ts';
import { isInRevision, METHODS } from '../protocol/methods.ts';
import type { ClientCapabilities } from '../protocol/model/capabilities.ts';
import { changeInNotification } from '../protocol/model/changes.ts';
import { isLoggingLevel, LOGGING_LEVELS, type LoggingLevel } from '../protocol/model/logging.ts';
import type { Root } from '../protocol/model/roots.ts';
import type { Tool } from '../protocol/model/tools.ts';
import type { ClientInfo, ClientRevision as Revision } from '../protocol/revision.ts';
import type { RevisionFeatures } from '../protocol/revisions.ts';
import { type AnswerHandlers, capabilitiesOf, checkRoots } from './answering.ts';
import { ArgumentHeaders } from './argument-headers.ts';
import { Calls } from './calls.ts';
import type { Conversation } from './conversation.ts';
import type { Dialer } from './dialer.ts';
import type { ExtensionConnection } from './extension.ts';
import { Extensions } from './extensions.ts';
import { Link } from './link.ts';
import type { ClientMiddleware } from './middleware.ts';
import { News } from './news.ts';
import { type ConnectionOptions, DEFAULT_INFO } from './options.ts';
import { allItems, type Page, pageOf, pagesOptions } from './pages.ts';
import { peerOf } from './peer.ts';
import { Questions, type RequestHandler } from './questions.ts';
import type { RequestOptions } from './request-options.ts';
import type { ServerProfile } from './server-profile.ts';
import { ToolBook } from './tool-book.ts';
import { type WatchedConversation, Watches, type WatchListener } from './watching.ts';

// Timeouts of requests that are sent after a reconnect. They are short, because calls wait for these requests.
const PROMPTLY: RequestOptions = { timeout: 30_000, maxTimeout: 60_000 };

// For idempotent requests.
const HARMLESS: PendingRequestDetails = { repeatable: true };

/** Data that all connections of a `Client` share. */
export interface ClientParts {
  readonly middleware: readonly ClientMiddleware[];
  /** Handlers of server requests that the protocol does not define, by method. */
  readonly own: ReadonlyMap<string, RequestHandler>;
  readonly verdicts: Map<string, ServerProfile>;
}

export class Core {
  readonly link: Link;
  readonly calls: Calls;
  readonly book: ToolBook;
  /** The connection that is passed to hooks of extensions. */
  readonly peer: ExtensionConnection;
  readonly options: ConnectionOptions;
  readonly #parts: ClientParts;
  readonly #mirrored: ArgumentHeaders;
  readonly #questions: Questions;
  readonly #extensions: Extensions;
  readonly #news: News;
  readonly #declared: ClientCapabilities;
  #client: ClientInfo;
  #handlers: AnswerHandlers;
  /** Created by the first `watch`. */
  #watches: Watches | undefined;

  private constructor(dialer: Dialer, options: ConnectionOptions, parts: ClientParts) {
    this.options = options;
    this.#parts = parts;
    this.#handlers = options;
    this.#extensions = new Extensions(options.extensions ?? []);
    this.#declared = options.capabilities ?? capabilitiesOf(options);
    this.#client = {
      info: options.info ?? DEFAULT_INFO,
      capabilities: this.#declared,
      logLevel: options.logLevel,
      extensions: this.#extensions.declarations,
    };
    this.book = new ToolBook(options, (warning) => this.#report(warning));
    this.#mirrored = new ArgumentHeaders((warning) => this.#report(warning));
    this.link = this.#makeLink(dialer);
    this.#questions = this.#makeQuestions();
    this.#news = this.#makeNews();
    this.calls = this.#makeCalls();
    const { link, calls } = this;
    this.peer = peerOf({
      link,
      calls,
      questions: this.#questions,
      deliver: (notification, from, to) => this.#news.deliver(notification, from, to),
      onError: (error) => this.#report(error),
    });
    if (options.roots) checkRoots(options.roots, 'roots');
    if (options.logLevel !== undefined) checkLevel(options.logLevel);
    if (options.onStateChange) this.link.state.subscribe(options.onStateChange);
  }

  static async open(dialer: Dialer, options: ConnectionOptions, parts: ClientParts): Promise<Core> {
    const core = new Core(dialer, options, parts);
    await core.link.open();
    return core;
  }

  get profile(): ServerProfile {
    return this.link.profile as ServerProfile;
  }

  get facts(): RevisionFeatures {
    return (revisionNamed(this.profile.revision) as Revision).features;
  }

  notify(method: string, params: Params = {}): void {
    const call = { direction: 'out', kind: 'notification', method, params, revision: this.profile.revision } as const;
    const send = (changed: { params: Params }): void | Promise<void> => this.#say(method, changed.params);
    this.#news.settle(runMiddleware(this.#middleware, call, send));
  }

  // Notifications of the protocol have no `_meta`. Those of extensions get it, so that the server can identify the client.
  #say(method: string, params: Params): void | Promise<void> {
    const conversation = this.link.present;
    const given = Object.keys(params).length > 0 ? params : undefined;
    const said = METHODS.has(method) ? given : conversation?.revision.encodeRequest(given, this.#client);
    return conversation?.notify(method, said);
  }

  async watch(what: string, listener: WatchListener): Promise<() => Promise<void>> {
    // During a reconnect, waits for the new transport connection.
    await this.link.conversation({}, `watch ${what}`);
    if (!this.#watches) {
      this.#watches = new Watches({
        onError: (error) => this.#report(error),
        onChange: (change) => this.calls.cache.invalidate(change),
      });
      if (this.link.present) this.#watchIn(this.link.present);
    }
    return this.#watches.add(what, listener);
  }

  async ping(options?: RequestOptions): Promise<void> {
    const { revision } = await this.link.conversation(options ?? {}, 'ping');
    const method = isInRevision('ping', revision.features.version) ? 'ping' : 'server/discover';
    await this.calls.request(method, {}, { ...options, fresh: true });
  }

  async setLogLevel(level: LoggingLevel): Promise<void> {
    checkLevel(level);
    this.#client = { ...this.#client, logLevel: level };
    const { revision } = await this.link.conversation({}, 'setLogLevel');
    const isTold = isInRevision('logging/setLevel', revision.features.version) && this.profile.capabilities.logging;
    if (isTold) await this.calls.request('logging/setLevel', { level });
  }

  setRoots(roots: readonly Root[]): void {
    if (!this.#declared.roots)
      throw new TypeError('setRoots needs the option "roots" or "onListRoots" when connecting');
    checkRoots(roots, 'setRoots');
    this.#handlers = { ...this.#handlers, onListRoots: () => ({ roots }) };
    const method = 'notifications/roots/list_changed';
    if (this.#declared.roots.listChanged && isInRevision(method, this.profile.revision)) this.notify(method);
  }

  async close(): Promise<void> {
    this.#watches?.close();
    await this.link.close();
  }

  // Read for each call, because `Client.use` can add middleware at any time.
  get #middleware(): readonly ClientMiddleware[] {
    return this.#extensions.inside(this.#parts.middleware);
  }

  #makeLink(dialer: Dialer): Link {
    const core = this;
    return new Link(dialer, this.options, {
      get client() {
        return core.#client;
      },
      verdicts: this.#parts.verdicts,
      requestMeta: (method, params, conversation) => this.#extensions.requestMeta(method, params, conversation),
      answer: (request, signal, conversation) => this.#questions.take(request, signal, conversation),
      isQuestion: (method) => this.#questions.has(method),
      onNotification: (notification, conversation) => this.#news.take(notification, conversation),
      onError: (error) => this.#report(error),
      onGap: () => this.#watches?.missed(),
      onDeaf: () => this.#watches?.tellIfDeaf(),
      onBegin: (conversation, again) => this.#begin(conversation, again),
      onPause: () => this.#watches?.pause(),
      onSignIn: () => this.calls.cache.clear(),
      onSessionReplaced: () => this.#tell(() => this.options.onSessionReplaced?.()),
    });
  }

  #makeQuestions(): Questions {
    const core = this;
    return new Questions({
      get handlers() {
        return core.#handlers;
      },
      declared: this.#declared,
      own: this.#parts.own,
      get middleware() {
        return core.#middleware;
      },
    });
  }

  #makeNews(): News {
    const core = this;
    return new News({
      get middleware() {
        return core.#middleware;
      },
      get peer() {
        return core.peer;
      },
      options: this.options,
      extensions: this.#extensions,
      onChange: (change) => this.calls.cache.invalidate(change),
      hear: (notification) => {
        this.#watches?.take(notification);
        this.#questions.completions.take(notification);
      },
      onError: (error) => this.#report(error),
    });
  }

  #makeCalls(): Calls {
    const core = this;
    return new Calls({
      link: this.link,
      book: this.book,
      mirrored: this.#mirrored,
      questions: this.#questions,
      extensions: this.#extensions,
      get peer() {
        return core.peer;
      },
      get middleware() {
        return core.#middleware;
      },
      options: this.options,
    });
  }

  async #begin(conversation: Conversation, again: boolean): Promise<void> {
    const { revision, server } = conversation;
    const { logLevel } = this.#client;
    const tasks: Promise<unknown>[] = [];
    if (logLevel && isInRevision('logging/setLevel', revision.features.version) && server.capabilities.logging) {
      tasks.push(conversation.send('logging/setLevel', { level: logLevel }, PROMPTLY, HARMLESS));
    }
    if (again) {
      this.calls.cache.clear();
      if (this.book.size > 0) tasks.push(this.#listAgain(conversation));
    }
    // Not awaited, so that calls do not wait for the watches.
    this.#watchIn(conversation);
    for (const outcome of await Promise.allSettled(tasks)) {
      // If the connection has ended, callers already get its error.
      if (outcome.status === 'rejected' && !conversation.ended.aborted) this.#report(outcome.reason as Error);
    }
  }

  #watchIn(conversation: Conversation): void {
    this.#watches?.begin(this.#watched(conversation)).catch((error: Error) => {
      if (!conversation.ended.aborted) this.#report(error);
    });
  }

  // Lists the tools again after a reconnect, so that `onToolChanged` can reject changed tools before they are called.
  async #listAgain(conversation: Conversation): Promise<void> {
    const fetchPage = async (cursor: string | undefined): Promise<Page<Tool>> => {
      const params = cursor === undefined ? {} : { cursor };
      const decoded = await conversation.send('tools/list', params, PROMPTLY, HARMLESS);
      return pageOf<Tool>('tools/list', 'tools', decoded.type === 'complete' ? decoded.result : {});
    };
    const tools = await allItems<Tool>('tools/list', fetchPage, pagesOptions(this.options));
    await this.book.take(tools, conversation.mirrorsArguments ? this.#mirrored : undefined);
  }

  #watched(conversation: Conversation): WatchedConversation {
    return {
      facts: conversation.revision.features,
      serverCapabilities: conversation.server.capabilities,
      get deafness() {
        return conversation.deafness;
      },
      async request(method, params) {
        const decoded = await conversation.send(method, params, {}, HARMLESS);
        return decoded.type === 'complete' ? decoded.result : {};
      },
      open: (method, params, onNotice, signal) => {
        // Changes from `subscriptions/listen` also go to `onNotification`, like the pushed changes of stateful revisions.
        const deliver = (notification: Notification): void => {
          if (!onNotice(notification) || !changeInNotification(notification)) return;
          this.#news.tell(notification);
        };
        return conversation.open(method, params, (one) => this.#news.deliver(one, conversation, deliver), signal);
      },
    };
  }

  #tell(listener: () => unknown): void {
    callGuarded(listener, (error) => this.#report(error));
  }

  #report(error: Error): void {
    // Errors thrown by `onError` itself are ignored.
    callGuarded(
      () => this.options.onError?.(error),
      () => {},
    );
  }
}

function checkLevel(level: unknown): void {
  if (!isLoggingLevel(level)) throw new TypeError(`A log level must be one of ${LOGGING_LEVELS.join(', ')}`);
}
