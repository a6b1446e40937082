/** Plays a conversation with a client: says what the server says, compares what the client says and gives. */

import { Client, type Connection, type ConnectOptions } from 'mcpp/client';
import { vi } from 'vitest';
import { METHODS } from '../../src/protocol/methods.ts';
import { isRecord, type SchemaRevision } from '../oracle/definitions.ts';
import { type Caller, opening, spread } from '../transcripts/fragments.ts';
import { type Captured, difference, filledIn } from '../transcripts/match.ts';
import type { Entry } from '../transcripts/wire.ts';
import { quiet } from '../wire.ts';
import { type Args, type Around, CALLS, type Call, handlersOf } from './calls.ts';
import { greetingOf } from './greeting.ts';
import type { Conversation, Step } from './parse.ts';
import { inTime, PATIENCE_MS, Queue } from './patience.ts';
import { Stage } from './stage.ts';

/** How a conversation is played. */
export interface PlayOptions {
  /** Gets all that went over the wire. */
  readonly onEntries?: (entries: readonly Entry[]) => void;
  /** Milliseconds for what needs no time. */
  readonly patience?: number;
}

/** Plays a conversation in one revision; throws at the first difference. */
export async function play(
  conversation: Conversation,
  revision: SchemaRevision,
  { onEntries, patience = PATIENCE_MS }: PlayOptions = {},
): Promise<void> {
  // What the client waits for passes when the transcript says so. Callbacks of the loop itself stay real.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
  const stage = new Stage(revision, conversation.own, patience);
  const player = new Player(conversation, revision, stage, patience);
  try {
    for (const step of conversation.steps) {
      if (step.revisions.includes(revision)) await player.take(step);
    }
    await player.end();
  } catch (error) {
    throw new Error(`${conversation.file}:${player.line} [${revision}]: ${(error as Error).message}`);
  } finally {
    onEntries?.(stage.entries);
    await player.close();
    vi.useRealTimers();
  }
}

/** Something the client's code did, and what came of it. */
interface Deed {
  readonly line: number;
  readonly outcome: Promise<{ readonly result: unknown } | { readonly error: unknown }>;
}

class Player {
  line: number;
  readonly #conversation: Conversation;
  readonly #stage: Stage;
  readonly #captured: Captured = new Map();
  readonly #told: Queue<{ readonly kind: string; readonly what: unknown }>;
  readonly #patience: number;
  readonly #stops: Around['stops'] = new Map();
  readonly #deeds: Deed[] = [];
  #caller: Caller;
  #connecting: Promise<Connection> | undefined;
  #abort = new AbortController();

  constructor(conversation: Conversation, revision: SchemaRevision, stage: Stage, patience: number) {
    this.line = conversation.line;
    this.#conversation = conversation;
    this.#stage = stage;
    this.#told = new Queue(patience);
    this.#patience = patience;
    this.#caller = { revision, capabilities: {} };
  }

  async take({ kind, line, text }: Step): Promise<void> {
    this.line = line;
    if (kind === 'connect') await this.#connect(text);
    else if (kind === 'do') await this.#do(text);
    else if (kind === '>') this.#compare(this.#read(text), await this.#stage.next());
    else if (kind === '<' || kind === '<!') this.#stage.say(filledIn(this.#read(text), this.#captured), kind === '<!');
    else if (kind === '=') await this.#gives(text);
    else if (kind === '!') await this.#fails(text);
    else if (kind === '*') await this.#tells(text);
    else if (kind === 'nothing') await this.#stage.expectSilence();
    else if (kind === 'wait') await vi.advanceTimersByTimeAsync(Number(text));
    else await this.#stage.hangUp();
  }

  /** Nothing may be left: no message, no call, nothing told; and closing leaves no timer. */
  async end(): Promise<void> {
    await this.#expectNothing();
    const [open] = this.#deeds;
    if (open) throw new Error(`nothing is said of what the call of line ${open.line} gives`);
    await this.close();
    await this.#expectNothing();
    if (this.#stage.isConnected) throw new Error('the connection stays open after the end');
    if (vi.getTimerCount() > 0) throw new Error(`timers are left after the end: ${vi.getTimerCount()}`);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    const none = quiet().then(() => undefined);
    const connection = await Promise.race([this.#connecting?.catch(() => undefined), none]);
    // A client that is still connecting gives up when the server does.
    await (connection ? connection.close() : this.#stage.hangUp());
  }

  async #expectNothing(): Promise<void> {
    await this.#stage.expectSilence();
    await this.#told.expectEmpty('the client tells what is not expected');
  }

  // The greeting of each revision, to the letter; conversations about greetings write it out instead.
  async #connect(text: string): Promise<void> {
    this.#caller = { ...this.#caller, capabilities: text === '' ? {} : JSON.parse(text) };
    const { revision } = this.#caller;
    const options = this.#options();
    void this.#open({ ...options, revision });
    const { request, result, after } = greetingOf(
      this.#caller,
      JSON.parse(this.#conversation.server),
      options.logLevel,
    );
    const sent = await this.#stage.next();
    this.#compare(request, sent);
    this.#stage.say({ jsonrpc: '2.0', id: (sent as { id: unknown }).id, result });
    if (after) this.#compare(after, await this.#stage.next());
    // What comes over a wire takes longer than what the client does next.
    await quiet();
  }

  #open(options: ConnectOptions): Promise<Connection> {
    const { info, ...rest } = options;
    const { questions, own } = handlersOf(JSON.parse(this.#conversation.answers));
    const client = new Client(info ?? (opening(this.#caller)['clientInfo'] as never), {
      ...rest,
      ...questions,
      onLog: (message) => this.#told.put({ kind: 'log', what: message }),
      onError: (error) => this.#told.put({ kind: 'error', what: facts(error) }),
      onNotification: (one) => {
        if (!METHODS.has(one.method)) this.#told.put({ kind: 'notification', what: one });
      },
    });
    for (const [method, handler] of own) client.setHandler(method, handler);
    this.#connecting = client.connect(this.#stage);
    // Whoever needs it is told.
    this.#connecting.catch(() => {});
    return this.#connecting;
  }

  #options(): ConnectOptions {
    return JSON.parse(this.#revised(this.#conversation.options)) as ConnectOptions;
  }

  async #do(text: string): Promise<void> {
    const [, name = '', rest = ''] = /^(\w+)(?: (.*))?$/.exec(text) ?? [];
    if (name === 'cancel') {
      this.#abort.abort();
      return;
    }
    const call = CALLS.get(name);
    if (!call && name !== 'connect') throw new Error(`there is no call "${name}"`);
    this.#abort = new AbortController();
    const args = filledIn(JSON.parse(`[${this.#revised(rest)}]`), this.#captured) as unknown as Args;
    const made = call ? this.#called(call, await this.#connection(), args) : this.#opened(args[0]);
    const outcome = made.then(
      (result) => ({ result: result === undefined ? undefined : JSON.parse(JSON.stringify(result)) }),
      (error: unknown) => ({ error }),
    );
    this.#deeds.push({ line: this.line, outcome });
  }

  async #opened(options: object | undefined): Promise<unknown> {
    const { signal } = this.#abort;
    const { revision, serverInfo, serverCapabilities, instructions } = await this.#open({
      ...this.#options(),
      ...options,
      signal,
    });
    return { revision, serverInfo, serverCapabilities, instructions };
  }

  async #called(call: Call, connection: Connection, args: Args): Promise<unknown> {
    const tell: Around['tell'] = (kind, what) => this.#told.put({ kind, what });
    const options = { signal: this.#abort.signal, onProgress: (one: unknown) => tell('progress', one) };
    return call(connection, args, { options, tell, stops: this.#stops });
  }

  #connection(): Promise<Connection> {
    if (!this.#connecting) throw new Error('the client has not connected');
    return inTime(this.#connecting, 'the client does not finish connecting', this.#patience);
  }

  async #gives(text: string): Promise<void> {
    const outcome = await this.#next();
    if ('error' in outcome) throw new Error(`the call failed: ${JSON.stringify(facts(outcome.error))}`);
    if (text !== '') this.#compare(this.#read(text), outcome.result);
    else if (outcome.result !== undefined) throw new Error(`the call gives ${JSON.stringify(outcome.result)}`);
  }

  async #fails(text: string): Promise<void> {
    const outcome = await this.#next();
    if ('result' in outcome) throw new Error(`the call did not fail: ${JSON.stringify(outcome.result)}`);
    this.#compareNamed(this.#read(text), facts(outcome.error));
  }

  async #tells(text: string): Promise<void> {
    const [, kind = '', rest = ''] = /^(\w+) (.*)$/.exec(text) ?? [];
    const told = await this.#told.next('the client tells nothing');
    if (told.kind !== kind) throw new Error(`the client tells of ${told.kind}: ${JSON.stringify(told.what)}`);
    if (kind === 'error') this.#compareNamed(this.#read(rest), told.what);
    else this.#compare(this.#read(rest), told.what);
  }

  #next(): Deed['outcome'] {
    const deed = this.#deeds.shift();
    if (!deed) throw new Error('there is no open call');
    return inTime(deed.outcome, `the call of line ${deed.line} does not end`, this.#patience);
  }

  // Of an error, what the transcript names.
  #compareNamed(expected: unknown, actual: unknown): void {
    const names = isRecord(expected) ? Object.keys(expected) : [];
    const named = Object.entries(isRecord(actual) ? actual : {}).filter(([name]) => names.includes(name));
    const found = difference(expected, Object.fromEntries(named), this.#captured, 'error');
    if (found !== undefined) throw new Error(`${found}\nthe whole error: ${JSON.stringify(actual)}`);
  }

  #compare(expected: unknown, actual: unknown): void {
    const found = difference(expected, actual, this.#captured);
    if (found !== undefined) throw new Error(`${found}\nthe whole of it: ${JSON.stringify(actual)}`);
  }

  #read(text: string): unknown {
    return spread(JSON.parse(this.#revised(text)), this.#caller);
  }

  #revised(text: string): string {
    return text.replaceAll('{{revision}}', this.#caller.revision);
  }
}

function facts(error: unknown): Record<string, unknown> {
  const { name, message, code, data, partial } = error as Record<string, unknown>;
  const all = { name, message, code, data, partial };
  return JSON.parse(JSON.stringify(all)) as Record<string, unknown>;
}
