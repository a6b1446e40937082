/** Watching on stateless revisions: one open `subscriptions/listen` asks for everything that is watched. */

import { ConnectionError, ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Notification, type Params } from '../jsonrpc/message.ts';
import type { SubscriptionFilter } from '../protocol/model/changes.ts';
import { nextBackoffDelay } from '../timing/backoff.ts';
import { ACKNOWLEDGE_MS, ACKNOWLEDGED, endedByServer, unacknowledged } from './acknowledging.ts';
import { isFinalStatus } from './statuses.ts';
import { isList, type ListName } from './watchable.ts';

/** What listening needs from the conversation. */
export interface ListeningConversation {
  open(
    method: string,
    params: Params,
    onNotice: (notification: Notification) => boolean,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>;
}

/** What listening needs from its owner. */
export interface ListeningHost {
  /** What is watched at this moment, by name or URI. */
  readonly watched: ReadonlyMap<string, unknown>;
  /** A notification; true if it tells of a change. */
  hear(notification: Notification): boolean;
  /** Changes of it may have been missed. */
  resync(what: string): void;
  /** The server does not tell of it any more. */
  lost(what: string): void;
  /** Those who wait for it to be told are about to be rejected: they watch it no more. */
  refused(what: string): void;
  onError(error: Error): void;
}

/** One request, from its sending to its end. */
interface Listen {
  readonly asked: ReadonlySet<string>;
  readonly acknowledged: Acknowledgement;
  readonly abort: AbortController;
  readonly patience: ReturnType<typeof setTimeout>;
  /** What the server said it will tell of. */
  honoured: ReadonlySet<string>;
  /** When the server said so. */
  since: number;
}

/** Settles with what is honoured. */
interface Acknowledgement {
  /** What somebody waits for. */
  readonly waiting: Set<string>;
  readonly promise: Promise<ReadonlySet<string>>;
  resolve(honoured: ReadonlySet<string>): void;
  reject(error: Error): void;
}

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;
// Then somebody is told; whoever watches still wants to hear of changes when the server is back.
const MAX_FAILURES = 5;

/** Keeps one listen open for as long as anything is watched, and replaces it when that changes. */
export class Listening {
  readonly #conversation: ListeningConversation;
  readonly #host: ListeningHost;
  /** The one that tells. */
  #current: Listen | undefined;
  /** The one that takes its place as soon as the server acknowledges it. */
  #next: Listen | undefined;
  /** What those wait for whose listen is not sent yet. */
  #upcoming: Acknowledgement | undefined;
  #adjusting: Promise<void> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #pause = 0;
  #failures = 0;
  /** What `onError` was told since the server acknowledged one. */
  #told: 'trouble' | 'end' | undefined;

  constructor(conversation: ListeningConversation, host: ListeningHost) {
    this.#conversation = conversation;
    this.#host = host;
  }

  /** Listens to all that is watched already. Rejects if the first try fails; the next ones follow nevertheless. */
  async begin(): Promise<void> {
    if (this.#host.watched.size > 0) await this.#open().acknowledged.promise;
  }

  /** False if the server does not tell of it. */
  async watch(what: string): Promise<boolean> {
    const next = this.#next;
    const isNext = next?.asked.has(what) === true;
    if (this.#current?.honoured.has(what) && (isNext || !next)) return true;
    const answer = isNext ? next.acknowledged : (this.#upcoming ?? acknowledgement());
    answer.waiting.add(what);
    if (!isNext) this.#upcoming = answer;
    void this.#adjust();
    return (await answer.promise).has(what);
  }

  /** Nobody watches it any more. Resolves when the server is being told; never rejects. */
  unwatch(_what: string): Promise<void> {
    return this.#adjust();
  }

  /** Gives everything up; who waits is told. */
  end(): void {
    this.#letGo(new ConnectionError('closed', 'The connection ended before subscriptions/listen was acknowledged'));
  }

  // What changes within one tick becomes one listen.
  #adjust(): Promise<void> {
    this.#adjusting ??= Promise.resolve().then(() => {
      this.#adjusting = undefined;
      if (this.#host.watched.size === 0) this.#letGo();
      // One at a time: this is looked at again when the server has answered the one on its way.
      else if (!this.#next && (this.#upcoming || (this.#current && this.#isOutdated(this.#current)))) this.#open();
    });
    return this.#adjusting;
  }

  #isOutdated({ asked, honoured }: Listen): boolean {
    const { watched } = this.#host;
    return [...watched.keys()].some((what) => !asked.has(what)) || [...honoured].some((what) => !watched.has(what));
  }

  #open(): Listen {
    clearTimeout(this.#retry);
    const expire = (): void => {
      this.#over(listen, unacknowledged());
      listen.abort.abort();
    };
    const listen: Listen = {
      asked: new Set(this.#host.watched.keys()),
      acknowledged: this.#upcoming ?? acknowledgement(),
      abort: new AbortController(),
      patience: setTimeout(expire, ACKNOWLEDGE_MS),
      honoured: new Set(),
      since: 0,
    };
    this.#upcoming = undefined;
    this.#next = listen;
    void this.#run(listen);
    return listen;
  }

  async #run(listen: Listen): Promise<void> {
    const onNotice = (notification: Notification): boolean => this.#notice(listen, notification);
    const params = { notifications: filterOf(listen.asked) };
    let end: Error = endedByServer();
    try {
      await this.#conversation.open('subscriptions/listen', params, onNotice, listen.abort.signal);
    } catch (error) {
      end = error as Error;
    }
    this.#over(listen, end);
  }

  /** True if it was taken: while there are two listens, or one that was replaced, only one of them is heard. */
  #notice(listen: Listen, notification: Notification): boolean {
    const { method, params } = notification;
    if (listen === this.#current) return this.#host.hear(notification);
    if (listen !== this.#next || method !== ACKNOWLEDGED) return false;
    this.#acknowledge(listen, isObject(params) ? params : {});
    return true;
  }

  #acknowledge(listen: Listen, params: Params): void {
    const before = this.#current;
    const honoured = honouredOf(params['notifications'], listen.asked);
    clearTimeout(listen.patience);
    listen.honoured = honoured;
    listen.since = Date.now();
    this.#next = undefined;
    // A listen that tells of nothing need not stay open, and is not tried again.
    this.#current = honoured.size > 0 ? listen : undefined;
    this.#failures = 0;
    this.#told = undefined;
    before?.abort.abort();
    if (honoured.size === 0) listen.abort.abort();
    for (const what of listen.acknowledged.waiting) if (!honoured.has(what)) this.#host.refused(what);
    listen.acknowledged.resolve(honoured);
    for (const what of listen.asked) {
      const [isTold, wasTold] = [honoured.has(what), before?.honoured.has(what)];
      if (!isTold && wasTold !== false) this.#host.lost(what);
      if (!before || (isTold && !wasTold)) this.#host.resync(what);
    }
    void this.#adjust();
  }

  #over(listen: Listen, error: Error): void {
    clearTimeout(listen.patience);
    if (listen === this.#current) {
      this.#current = undefined;
      if (!this.#next) this.#listenLater(Date.now() - listen.since, error);
    } else if (listen === this.#next) {
      this.#next = undefined;
      this.#refuse(listen.acknowledged, error);
      if (this.#upcoming || this.#host.watched.size === 0) void this.#adjust();
      else if (!this.#current) {
        this.#failures++;
        this.#listenLater(-1, error);
      }
    }
  }

  // At once, so that what was refused is not asked for again with the next.
  #refuse(acknowledgement: Acknowledgement, error: Error): void {
    for (const what of acknowledgement.waiting) this.#host.refused(what);
    acknowledgement.reject(error);
  }

  #listenLater(lasted: number, cause: Error): void {
    if (this.#failures >= MAX_FAILURES) {
      const isFinal = isRefusal(cause);
      if (this.#told === undefined || (isFinal && this.#told !== 'end')) this.#host.onError(notHeard(cause, isFinal));
      this.#told = isFinal ? 'end' : 'trouble';
      if (isFinal) return;
    }
    // A server that acknowledges and ends at once, again and again, is asked ever less often.
    const longer = nextBackoffDelay(this.#pause, { minMs: FIRST_PAUSE, maxMs: LONGEST_PAUSE });
    this.#pause = lasted >= this.#pause ? FIRST_PAUSE : this.#failures >= MAX_FAILURES ? LONGEST_PAUSE : longer;
    this.#retry = setTimeout(() => this.#open(), this.#pause);
  }

  #letGo(error?: Error): void {
    const listens = [this.#current, this.#next].filter((listen) => listen !== undefined);
    const answers = [this.#upcoming, this.#next?.acknowledged].filter((answer) => answer !== undefined);
    clearTimeout(this.#retry);
    this.#current = this.#next = this.#upcoming = undefined;
    this.#pause = this.#failures = 0;
    this.#told = undefined;
    for (const answer of answers) {
      if (error) this.#refuse(answer, error);
      else answer.resolve(new Set());
    }
    for (const { patience, abort } of listens) {
      clearTimeout(patience);
      abort.abort();
    }
  }
}

function filterOf(asked: ReadonlySet<string>): SubscriptionFilter {
  const flags = [...asked].filter(isList).map((list) => [flagOf(list), true]);
  const uris = [...asked].filter((what) => !isList(what));
  return { ...Object.fromEntries(flags), ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}) };
}

function honouredOf(notifications: unknown, asked: ReadonlySet<string>): ReadonlySet<string> {
  const filter = isObject(notifications) ? notifications : {};
  const { resourceSubscriptions } = filter;
  const uris = new Set<unknown>(Array.isArray(resourceSubscriptions) ? resourceSubscriptions : []);
  const isHonoured = (what: string): boolean => (isList(what) ? filter[flagOf(what)] === true : uris.has(what));
  return new Set([...asked].filter(isHonoured));
}

function flagOf(list: ListName): keyof SubscriptionFilter {
  return `${list}ListChanged`;
}

function acknowledgement(): Acknowledgement {
  let settle: Pick<Acknowledgement, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<ReadonlySet<string>>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Often nobody waits for it.
  promise.catch(() => {});
  return {
    waiting: new Set(),
    promise,
    resolve: (honoured) => settle?.resolve(honoured),
    reject: (error) => settle?.reject(error),
  };
}

// It will be the same next time; everything else may be over when the server is back.
function isRefusal(cause: Error): boolean {
  if (cause instanceof RpcError) return cause.code === ErrorCode.MethodNotFound;
  return cause instanceof ConnectionError && cause.status !== undefined && isFinalStatus(cause.status);
}

function notHeard(cause: Error, isFinal: boolean): ConnectionError {
  const until = isFinal ? 'until the next connection' : 'until the server takes it again';
  const text = `Changes are not heard of ${until}: subscriptions/listen failed ${MAX_FAILURES} times`;
  return new ConnectionError('failed', text, { cause });
}
