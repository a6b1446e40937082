/** A raw client for tests: text goes in as it is, and every message that comes out is kept. */

import {
  type Message,
  type Principal,
  type ProtocolVersion,
  parsePayload,
  type Receiver,
  serialize,
  type Transport,
} from 'mcpp';
import { type McpServer, type ServedConnection, serve } from 'mcpp/server';

/** A message of the server's, as JSON. */
export interface Reply {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** How to connect. */
export interface WireOptions {
  /** Default: 2026-07-28. A stateful revision is greeted with `initialize`; `none` says nothing at all. */
  readonly revision?: string;
  readonly capabilities?: object;
  readonly principal?: Principal;
  readonly forceReruns?: boolean;
  /** Answers requests of the server's. Without it they stay open. */
  readonly answer?: (method: string, params: Readonly<Record<string, unknown>>) => unknown;
}

export const STATEFUL: readonly ProtocolVersion[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const REVISIONS: readonly ProtocolVersion[] = [...STATEFUL, '2026-07-28'];

/** The `_meta` that every stateless request carries. */
export function claim(capabilities: object = {}, more: object = {}): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    ...more,
  };
}

/** One connection. */
export class Wire implements Transport {
  readonly cancelsBy = 'notification';
  readonly received: Reply[] = [];
  /** The same, as text. */
  readonly lines: string[] = [];
  connected = false;
  serving: ServedConnection | undefined;
  readonly #options: WireOptions;
  readonly #waiting = new Set<() => void>();
  #receiver: Receiver | undefined;
  #lastId = 0;

  constructor(options: WireOptions) {
    this.#options = options;
  }

  async connect(receiver: Receiver): Promise<void> {
    this.#receiver = receiver;
    this.connected = true;
  }

  send(message: Message | readonly Message[]): void {
    const text = serialize(message);
    this.lines.push(text);
    const parsed = JSON.parse(text) as Reply | Reply[];
    const all = Array.isArray(parsed) ? parsed : [parsed];
    this.received.push(...all);
    for (const check of [...this.#waiting]) check();
    const { answer } = this.#options;
    if (answer) for (const one of all) if (one.method && one.id != null) void this.#answer(one, answer);
  }

  async disconnect(): Promise<void> {
    if (!this.connected) return;
    this.connected = false;
    this.#receiver?.onClose();
  }

  /** Sends text, or an object as JSON. */
  say(message: string | object): void {
    this.#receiver?.onMessage(parsePayload(typeof message === 'string' ? message : JSON.stringify(message)));
  }

  notify(method: string, params?: object): void {
    this.say({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
  }

  /** Sends a request in the way of the connection's revision, and gives its answer. */
  call(method: string, params: object = {}, id: string | number = ++this.#lastId): Promise<Reply> {
    const { revision = '2026-07-28', capabilities } = this.#options;
    const meta = (params as { _meta?: object })._meta;
    const stateless = revision === '2026-07-28' ? { _meta: claim(capabilities, meta) } : {};
    this.say({ jsonrpc: '2.0', id, method, params: { ...params, ...stateless } });
    return this.answerTo(id);
  }

  /** The answer with this id. */
  answerTo(id: string | number | null | undefined): Promise<Reply> {
    return this.until((one) => one.method === undefined && one.id === id);
  }

  /** The first message that fits, now or later. */
  until(fits: (message: Reply) => boolean): Promise<Reply> {
    return new Promise((resolve) => {
      const check = (): void => {
        const found = this.received.find(fits);
        if (!found) return;
        this.#waiting.delete(check);
        resolve(found);
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** The notifications with this method. */
  notices(method: string): Reply[] {
    return this.received.filter((one) => one.method === method && one.id === undefined);
  }

  async greet(): Promise<void> {
    const { revision = '2026-07-28', capabilities = {} } = this.#options;
    if (revision === '2026-07-28' || revision === 'none') return;
    const clientInfo = { name: 'raw', version: '1' };
    await this.call('initialize', { protocolVersion: revision, capabilities, clientInfo }, 'hello');
    this.notify('notifications/initialized');
    this.received.length = 0;
    this.lines.length = 0;
  }

  async #answer({ id, method = '', params = {} }: Reply, answer: NonNullable<WireOptions['answer']>): Promise<void> {
    const result = await answer(method, params);
    this.say({ jsonrpc: '2.0', id, result });
  }
}

/** Connects to a server. */
export async function open(server: McpServer<unknown>, options: WireOptions = {}): Promise<Wire> {
  const wire = new Wire(options);
  const { principal, forceReruns = false } = options;
  wire.serving = await serve(server, wire, { principal, forceReruns });
  await wire.greet();
  return wire;
}

/** Lets everything that is due happen. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Runs something and gives the promise rejections that nobody handled meanwhile. */
export async function unhandledDuring(run: () => Promise<unknown>): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const keep = (reason: unknown): void => {
    unhandled.push(reason);
  };
  const others = process.rawListeners('unhandledRejection') as ((...args: unknown[]) => void)[];
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', keep);
  try {
    await run();
    await quiet();
  } finally {
    process.removeListener('unhandledRejection', keep);
    for (const other of others) process.on('unhandledRejection', other);
  }
  return unhandled;
}

/** A change bus that counts who watches it. */
export class CountingBus {
  watchers = 0;

  publish(): void {}

  subscribe(): () => void {
    this.watchers++;
    return () => {
      this.watchers--;
    };
  }
}
