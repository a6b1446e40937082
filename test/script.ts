/** A server that is played by hand, message by message. */

import type { Message, Payload, Receiver, Transport } from 'mcpp';
import { parsePayload } from 'mcpp';
import { type Connection, type ConnectOptions, connect, type ServerProfile } from 'mcpp/client';

/** A message of the client's. */
export interface Sent {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A server of 2026-07-28 that need not be asked what it is. */
export const PRIOR: ServerProfile = {
  revision: '2026-07-28',
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, prompts: {} },
  at: 0,
};

/** What is sent here is kept; what `say` is given arrives at the client. */
export class Script implements Transport {
  readonly cancelsBy = 'notification';
  readonly sent: Sent[] = [];
  connected = false;
  receiver: Receiver | undefined;
  onSend: (message: Sent) => void | Promise<void> = () => {};

  async connect(receiver: Receiver): Promise<void> {
    this.receiver = receiver;
    this.connected = true;
  }

  send(message: Message | readonly Message[]): void | Promise<void> {
    const sent = JSON.parse(JSON.stringify(message)) as Sent;
    this.sent.push(sent);
    return this.onSend(sent);
  }

  async disconnect(): Promise<void> {
    if (!this.connected) return;
    this.connected = false;
    this.receiver?.onClose();
  }

  say(message: unknown): void {
    this.receiver?.onMessage(parsePayload(JSON.stringify(message)) as Payload);
  }

  reply(result: unknown, id: Sent['id'] = this.sent.at(-1)?.id): void {
    this.say({ jsonrpc: '2.0', id, result });
  }

  refuse(code: number, data?: unknown, id: Sent['id'] = this.sent.at(-1)?.id): void {
    this.say({ jsonrpc: '2.0', id, error: { code, message: 'no', ...(data === undefined ? {} : { data }) } });
  }

  /** Answers `initialize` by itself from now on. */
  greets(revision: string, capabilities: object = {}): this {
    const result = { protocolVersion: revision, capabilities, serverInfo: { name: 's', version: '1' } };
    this.onSend = ({ method, id }) => {
      if (method === 'initialize') queueMicrotask(() => this.reply(result, id));
    };
    return this;
  }
}

/** A connection in the newest revision on which nothing has been said. */
export async function play(options: ConnectOptions = {}): Promise<{ script: Script; client: Connection }> {
  const script = new Script();
  return { script, client: await connect(script, { profile: PRIOR, ...options }) };
}

/** A connection with a session on which nothing else has been said. */
export async function playStateful(
  options: ConnectOptions = {},
  revision = '2025-11-25',
  capabilities: object = {},
): Promise<{ script: Script; client: Connection }> {
  const script = new Script().greets(revision, capabilities);
  const client = await connect(script, { revision: revision as '2025-11-25', ...options });
  script.sent.length = 0;
  return { script, client };
}

/** A program that is started again and again, one script for each time. */
export function programs(...scripts: Script[]): { connectInProcess(): Promise<Transport>; started: number } {
  return {
    started: 0,
    async connectInProcess() {
      const script = scripts[this.started++];
      if (!script) throw new Error('The program was started more often than expected');
      return script;
    },
  };
}
