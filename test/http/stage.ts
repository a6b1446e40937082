/** A server whose calls are in the test's hands. */

import { type Context, McpServer, type McpServerOptions } from 'mcpp/server';

/** A call of the tool `wait`, from its beginning to its end. */
export interface Call {
  readonly ctx: Context;
  /** What the client calls it. */
  readonly name: string;
  /** Settles with the reason when `ctx.signal` aborts. */
  readonly aborted: Promise<unknown>;
  /** Lets the handler return this. */
  end(text: string): void;
}

/** The server, and what happens on it. */
export interface Stage {
  readonly server: McpServer;
  /** The next call of `wait` that has begun. */
  begun(): Promise<Call>;
  /** What was reported to `onError`. */
  readonly errors: unknown[];
}

/** Sets it up: `echo` answers at once, `wait` when the test says so, `stubborn` likewise and whatever its signal says. */
export function makeStage(options: McpServerOptions = {}): Stage {
  const errors: unknown[] = [];
  const calls: Call[] = [];
  const waiting: ((call: Call) => void)[] = [];
  const begin = (ctx: Context, name: string, end: (text: string) => void): Call => {
    const aborted = new Promise<unknown>((resolve) => {
      ctx.signal.addEventListener('abort', () => resolve(ctx.signal.reason), { once: true });
    });
    const call = { ctx, name, aborted, end };
    const next = waiting.shift();
    if (next) next(call);
    else calls.push(call);
    return call;
  };
  const name = { type: 'object', properties: { name: { type: 'string' } } } as const;
  const server: McpServer = new McpServer(
    { name: 'stage', version: '1' },
    { capabilities: { logging: {} }, onError: (error) => void errors.push(error), ...options },
  );
  server
    .registerTool('echo', { inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }, (args) => {
      return String((args as { text?: unknown }).text);
    })
    .registerTool('wait', { inputSchema: name }, (args, ctx) => {
      return new Promise<string>((resolve, reject) => {
        const call = begin(ctx, String((args as { name?: unknown }).name), resolve);
        void call.aborted.then(reject);
      });
    })
    .registerTool('stubborn', { inputSchema: name }, (args, ctx) => {
      return new Promise<string>((resolve) => begin(ctx, String((args as { name?: unknown }).name), resolve));
    });
  return {
    server,
    errors,
    begun: () => {
      const call = calls.shift();
      return call ? Promise.resolve(call) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}
