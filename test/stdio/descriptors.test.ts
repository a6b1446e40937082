/** A server without a free file descriptor answers every method: nothing of it is loaded while it serves. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { fixture } from './server-process.ts';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A program that may have 64 open files. */
function start(name: string): ChildProcess {
  const child = spawn('sh', ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, fixture(name)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.push(child);
  return child;
}

type Message = Record<string, unknown> & { readonly id?: unknown; readonly method?: string };

const CLIENT = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {}, sampling: {} },
  clientInfo: { name: 'c', version: '1' },
};
const ANSWERS: Record<string, object> = {
  'elicitation/create': { action: 'decline' },
  'sampling/createMessage': { model: 'm', role: 'assistant', content: { type: 'text', text: '' } },
};
const argument = { name: 'a', value: '' };

/** What is called after there are no descriptors left, and what the result holds. */
const CALLS: readonly (readonly [string, object, string])[] = [
  ['tools/call', { name: 'raw', arguments: { a: 1 } }, '"checked"'],
  ['resources/read', { uri: 'x://a' }, '"text"'],
  ['prompts/get', { name: 'p', arguments: {} }, '"text"'],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument }, '["b"]'],
  ['tools/list', { cursor: '' }, '"exhaust"'],
];
const ASKING: typeof CALLS = [
  ['tools/call', { name: 'ask' }, '"decline"'],
  ['tools/call', { name: 'sample' }, '"m"'],
];

const text = (message: Message): string => JSON.stringify(message);

test('over stdio', async () => {
  const child = start('descriptors-stdio');
  const say = (message: object): void => void child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const waiting = new Map<unknown, (message: Message) => void>();
  createInterface(child.stdout as NodeJS.ReadableStream).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    if (message.method && message.id !== undefined) say({ id: message.id, result: ANSWERS[message.method] });
    else waiting.get(message.id)?.(message);
  });
  let last = 0;
  const call = (method: string, params: object): Promise<Message> => {
    const id = ++last;
    say({ id, method, params });
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  await call('initialize', CLIENT);
  say({ method: 'notifications/initialized' });
  expect(text(await call('tools/call', { name: 'exhaust' }))).toContain('"EMFILE"');
  for (const [method, params, expected] of [...CALLS, ...ASKING]) {
    expect([method, text(await call(method, params))]).toEqual([method, expect.stringContaining(expected)]);
  }
});

test('over HTTP, on a connection that is open', async () => {
  const child = start('descriptors-http');
  const [port] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  const post = async (message: object): Promise<Message> => {
    const sent = request({ port: Number(port), host: '127.0.0.1', method: 'POST', path: '/', agent, headers });
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }));
    const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
    headers['mcp-session-id'] ??= String(answer.headers['mcp-session-id']);
    let body = '';
    for await (const chunk of answer) body += chunk;
    return JSON.parse(body) as Message;
  };
  await post({ method: 'initialize', params: CLIENT });
  expect(text(await post({ method: 'tools/call', params: { name: 'exhaust' } }))).toContain('"EMFILE"');
  for (const [method, params, expected] of CALLS) {
    expect([method, text(await post({ method, params }))]).toEqual([method, expect.stringContaining(expected)]);
  }
  agent.destroy();
});
