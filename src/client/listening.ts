/** Watches in stateless revisions: one `subscriptions/listen` request for everything that is watched. */

import { ConnectionError, ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Notification, type Params } from '../jsonrpc/message.ts';
import type { SubscriptionFilter } from '../protocol/model/changes.ts';
import { nextBackoffDelay } from '../timing/backoff.ts';
import { ACKNOWLEDGE_MS, ACKNOWLEDGED, endedByServer, unacknowledged } from './acknowledging.ts';
import { isFinalStatus } from './statuses.ts';
import { isList, type ListName } from './watchable.ts';

export interface ListeningConversation {
  open(
    method: string,
    params: Params,
    onNotice: (notification: Notification) => boolean,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>;
}

export interface ListeningHost {
  /** Watched lists (by name) and resources (by URI). */
  readonly watched: ReadonlyMap<string, unknown>;
  /** Handles a notification. Returns true if it reports a change. */
  hear(notification: Notification): boolean;
  /** Called when changes of a watched list or resource could have been missed. */
  resync(what: string): void;
  /** Called when the server sends no changes of a watched list or resource any more. */
  lost(what: string): void;
  /** Called before pending `watch` calls for a list or resource reject. Their watchers must be removed. */
  refused(what: string): void;
  onError(error: Error): void;
}

interface Listen {
  readonly asked: ReadonlySet<string>;
  readonly acknowledged: Acknowledgement;
  readonly abort: AbortController;
  readonly patience: ReturnType<typeof setTimeout>;
  /** Lists and URIs whose changes the server has agreed to send. */
  honoured: ReadonlySet<string>;
  /** Time of the acknowledgement, in milliseconds since 1970. */
  since: number;
}

/** Resolves to the lists and URIs whose changes the server has agreed to send. */
interface Acknowledgement {
  /** Lists and URIs of pending `watch` calls. */
  readonly waiting: Set<string>;
  readonly promise: Promise<ReadonlySet<string>>;
  resolve(honoured: ReadonlySet<string>): void;
  reject(error: Error): void;
}

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;
// Number of consecutive failures after which `onError` is called. Attempts continue, unless the server refuses for good.
const MAX_FAILURES = 5;

/** Keeps one `subscriptions/listen` request open while anything is watched, and replaces it when the watched set changes. */
export class Listening {
  readonly #conversation: ListeningConversation;
  readonly #host: ListeningHost;
  /** The acknowledged request, which delivers the changes. */
  #current: Listen | undefined;
  /** The request that replaces `#current` when the server acknowledges it. */
  #next: Listen | undefined;
  /** Shared by `watch` calls that wait for a request that is not sent yet. */
  #upcoming: Acknowledgement | undefined;
  #adjusting: Promise<void> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #pause = 0;
  #failures = 0;
  /** The last report to `onError` since the last acknowledgement: `trouble` is temporary, `end` is final. */
  #told: 'trouble' | 'end' | undefined;

  constructor(conversation: ListeningConversation, host: ListeningHost) {
    this.#conversation = conversation;
    this.#host = host;
  }

  /** Subscribes to everything that is already watched. Rejects if the first attempt fails; further attempts follow anyway. */
  async begin(): Promise<void> {
    if (this.#host.watched.size > 0) await this.#open().acknowledged.promise;
  }

  /** Subscribes to changes of a list or resource. Resolves to false if the server does not send them. */
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

  /** Must be called after the last watch of a list or resource was removed. Never rejects. */
  unwatch(_what: string): Promise<void> {
    return this.#adjust();
  }

  /** Ends all requests. Pending `watch` calls reject. */
  end(): void {
    this.#letGo(new ConnectionError('closed', 'The connection ended before subscriptions/listen was acknowledged'));
  }

  // Debounces: several changes of the watched set in one tick lead to one request.
  #adjust(): Promise<void> {
    this.#adjusting ??= Promise.resolve().then(() => {
      this.#adjusting = undefined;
      if (this.#host.watched.size === 0) this.#letGo();
      // One request at a time: the watched set is compared again after the acknowledgement.
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

  /** Returns true if the notification was handled. Of two open requests, only the current one reports changes. */
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
    // If the server agrees to send nothing, the request is closed and not repeated.
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

  // Synchronous, so that the next request does not include the refused watches.
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
    // If the server keeps ending acknowledged requests early, the backoff delay grows.
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
  // Prevents an unhandled rejection if no call waits.
  promise.catch(() => {});
  return {
    waiting: new Set(),
    promise,
    resolve: (honoured) => settle?.resolve(honoured),
    reject: (error) => settle?.reject(error),
  };
}

// Returns true if another attempt would fail in the same way. Other failures are temporary.
function isRefusal(cause: Error): boolean {
  if (cause instanceof RpcError) return cause.code === ErrorCode.MethodNotFound;
  return cause instanceof ConnectionError && cause.status !== undefined && isFinalStatus(cause.status);
}

function notHeard(cause: Error, isFinal: boolean): ConnectionError {
  const until = isFinal ? 'until the next connection' : 'until the server takes it again';
  const text = `Changes are not heard of ${until}: subscriptions/listen failed ${MAX_FAILURES} times`;
  return new ConnectionError('failed', text, { cause });
}
