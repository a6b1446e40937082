/** A connection played by hand, for tests of what the tasks extension does with one. */

import { ConnectionError, type InputRequest, type InputResponse, type Params } from 'mcpp';
import type {
  ConnectionState,
  ExtensionConnection,
  RawResult,
  RequestOptions,
  StateListener,
  Subscription,
} from 'mcpp/client';
import { vi } from 'vitest';

type Result = Record<string, unknown>;

/** What a request is answered with: as it is, an error, what a function gives, or nothing until it is given up. */
export type Reply = object | Error | 'nothing' | ((params: Params) => object | Promise<object>);

/** A request that was made. */
export interface Made {
  readonly method: string;
  readonly params: Params;
  readonly options: RequestOptions;
}

/** A question that somebody is being asked. */
export interface Asked {
  readonly question: InputRequest;
  readonly signal: AbortSignal | undefined;
  answer(answer: object): void;
  fail(error: unknown): void;
}

/** A subscription, seen from the server. */
export interface Listened {
  readonly notifications: unknown;
  readonly signal: AbortSignal | undefined;
  isClosed: boolean;
  tell(method: string, params: Params): void;
}

/** Answers by method, in the order in which the replies were written; the last one stays. */
export class FakePeer implements ExtensionConnection {
  revision: string;
  serverCapabilities: ExtensionConnection['serverCapabilities'];
  readonly made: Made[] = [];
  readonly asked: Asked[] = [];
  readonly listened: Listened[] = [];
  readonly accepted: unknown[] = [];
  state: ConnectionState = 'ready';
  readonly #replies = new Map<string, Reply[]>();
  readonly #listeners = new Set<StateListener>();

  constructor(revision = '2026-07-28', capabilities: object = {}) {
    this.revision = revision;
    this.serverCapabilities = capabilities;
  }

  on(method: string, ...replies: Reply[]): this {
    this.#replies.set(method, replies);
    return this;
  }

  /** What was sent, as `method {params}`, since the last time. */
  news(): string[] {
    return this.made.splice(0).map(({ method, params }) => `${method} ${JSON.stringify(params)}`);
  }

  end(): void {
    this.state = 'closed';
    for (const listener of [...this.#listeners]) listener('closed');
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  onState(listener: StateListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Result> {
    this.made.push({ method, params, options });
    const replies = this.#replies.get(method) ?? [];
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (this.state === 'closed') throw new ConnectionError('closed', 'The connection was closed');
    if (reply === undefined) throw new Error(`Nobody said what ${method} is answered with`);
    if (reply instanceof Error) throw reply;
    if (reply === 'nothing') return givenUp(options.signal ?? undefined);
    return (typeof reply === 'function' ? await reply(params) : reply) as Result;
  }

  async requestRaw(method: string, params?: Params, options?: RequestOptions): Promise<RawResult> {
    const result = await this.request(method, params, options);
    const isTask = result['resultType'] === 'task' || result['task'] !== undefined;
    return { resultType: isTask ? 'task' : 'complete', result };
  }

  respondToInput(
    question: InputRequest,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<InputResponse> {
    return new Promise((resolve, reject) => {
      this.asked.push({ question, signal, answer: (answer) => resolve(answer as InputResponse), fail: reject });
    });
  }

  async accept(method: string, params: Params, result: unknown): Promise<Result> {
    this.accepted.push([method, params, result]);
    return result as Result;
  }

  async listen(
    notifications: Readonly<Record<string, unknown>>,
    listener: (method: string, params: Params) => void,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Subscription> {
    let close = (): void => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const listened: Listened = { notifications, signal, isClosed: false, tell: listener };
    this.listened.push(listened);
    const honoured = (await this.request('subscriptions/listen', { notifications })) as Result;
    return {
      accepted: honoured,
      closed,
      close: () => {
        listened.isClosed = true;
        close();
      },
    };
  }
}

function givenUp(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new ConnectionError('aborted', 'given up')), { once: true });
  });
}

const MOMENT = '2026-10-01T10:00:00Z';

/** A task of 2026-07-28 on the wire. */
export function task(status: string, more: object = {}): Record<string, unknown> {
  return {
    taskId: 't1',
    status,
    createdAt: MOMENT,
    lastUpdatedAt: MOMENT,
    ttlMs: 60_000,
    pollIntervalMs: 5000,
    ...more,
  };
}

/** A task of 2025-11-25 on the wire. */
export function oldTask(status: string, more: object = {}): Record<string, unknown> {
  return { taskId: 't1', status, createdAt: MOMENT, lastUpdatedAt: MOMENT, ttl: 60_000, pollInterval: 5000, ...more };
}

/** A question, as `inputRequests` has it. */
export function question(message: string): object {
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: { type: 'object' } } };
}

/** Lets everything happen that needs no time, or so many milliseconds. For fake timers. */
export async function pass(milliseconds = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}
