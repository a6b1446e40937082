/** A conversation for tests of watching, in which the server is played by hand. */

import { ConnectionError, type Notification } from 'mcpp';
import { vi } from 'vitest';
import { type WatchEvent, type WatchedConversation, Watches } from '../src/client/watching.ts';
import type { Change } from '../src/protocol/model/changes.ts';
import { REVISIONS, type RevisionFeatures } from '../src/protocol/revisions.ts';

type Params = Readonly<Record<string, unknown>>;
type Result = Record<string, unknown>;

/** A request that waits for its answer. */
export interface Call {
  readonly method: string;
  readonly params: Params;
  answer(result?: Result): void;
  fail(error: Error): void;
}

/** A listen, seen from the server. */
export class ScriptedListen {
  readonly id: number;
  readonly method: string;
  readonly filter: unknown;
  readonly signal: AbortSignal;
  /** Neither side has ended it. */
  isOpen = true;
  readonly #call: Call;
  readonly #onNotice: (notification: Notification) => boolean;

  constructor(id: number, call: Call, onNotice: (notification: Notification) => boolean, signal: AbortSignal) {
    this.id = id;
    this.method = call.method;
    this.filter = call.params['notifications'];
    this.signal = signal;
    this.#call = call;
    this.#onNotice = onNotice;
    signal.addEventListener('abort', () => this.fail(new ConnectionError('aborted', 'aborted by the caller')));
  }

  /** Says something on it; true if the client took it. */
  say(method: string, params: Params = {}): boolean {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': this.id };
    return this.#onNotice({ jsonrpc: '2.0', method, params: { ...params, _meta } });
  }

  /** Acknowledges everything, or what is named; true if the client took it. */
  acknowledge(notifications: unknown = this.filter): boolean {
    return this.say('notifications/subscriptions/acknowledged', { notifications });
  }

  end(): void {
    this.isOpen = false;
    this.#call.answer({ _meta: { 'io.modelcontextprotocol/subscriptionId': this.id } });
  }

  fail(error: Error): void {
    this.isOpen = false;
    this.#call.fail(error);
  }
}

/** One conversation, of one family of revisions. */
export class ScriptedConversation implements WatchedConversation {
  readonly facts: RevisionFeatures;
  readonly serverCapabilities: WatchedConversation['serverCapabilities'];
  readonly calls: Call[] = [];
  readonly listens: ScriptedListen[] = [];

  constructor(family: RevisionFeatures['family'], serverCapabilities: WatchedConversation['serverCapabilities'] = ALL) {
    this.facts = REVISIONS.find((facts) => facts.family === family) as RevisionFeatures;
    this.serverCapabilities = serverCapabilities;
  }

  request(method: string, params: Params): Promise<Result> {
    return this.#call(method, params, (call) => this.calls.push(call));
  }

  open(method: string, params: Params, onNotice: (one: Notification) => boolean, signal: AbortSignal): Promise<Result> {
    const id = 100 + this.listens.length;
    return this.#call(method, params, (call) => this.listens.push(new ScriptedListen(id, call, onNotice, signal)));
  }

  /** The listen that was sent last. */
  get last(): ScriptedListen {
    const last = this.listens.at(-1);
    if (!last) throw new Error('No listen was sent');
    return last;
  }

  get openListens(): ScriptedListen[] {
    return this.listens.filter((listen) => listen.isOpen);
  }

  /** What was requested, in short. */
  get requested(): string[] {
    return this.calls.map(({ method, params }) => `${method} ${String(params['uri'])}`);
  }

  #call(method: string, params: Params, keep: (call: Call) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      keep({ method, params, answer: (result = {}) => resolve(result), fail: reject });
    });
  }
}

const ALL = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
};

/** Watches, and what their owner and their listeners heard. */
export class Watched {
  readonly errors: Error[] = [];
  readonly changes: Change[] = [];
  /** What the listeners heard, each under its name. */
  readonly heard: (readonly [name: string, event: WatchEvent])[] = [];
  readonly watches: Watches = new Watches({
    onError: (error) => this.errors.push(error),
    onChange: (change) => this.changes.push(change),
  });

  /** Watches under a name, which is also what is watched unless something else is said. */
  add(name: string, what: string = name): Promise<() => Promise<void>> {
    return this.watches.add(what, (event) => this.heard.push([name, event]));
  }

  /** What the listeners heard since the last time they were asked. */
  news(): (readonly [name: string, event: WatchEvent])[] {
    return this.heard.splice(0);
  }
}

/** A notification without a subscription, as stateful servers send it. */
export function notice(method: string, params?: Params): Notification {
  return params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method };
}

/** Lets everything happen that needs no time. For fake timers. */
export async function soon(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

/** What became of a promise so far. */
export async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  let outcome: unknown = 'pending';
  promise.then(
    () => {
      outcome = 'resolved';
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  await soon();
  return outcome;
}
