/** Escape sequences and bidirectional marks of a peer do not reach error messages, reports or stderr as they are. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConnectionError, RpcError } from 'mcpp';
import { connect } from 'mcpp/client';
import { readApp } from 'mcpp/extensions/apps';
import { McpServer } from 'mcpp/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { SkillError } from '../../src/extensions/skills/errors.ts';
import { cancelled } from '../../src/extensions/tasks/client/ending.ts';
import { play, Script } from '../script.ts';
import { open } from '../wire.ts';

const HOSTILE = 'a\u001b[2J\u202eb\u009b\u2028c';
const VISIBLE = /a\\u(\{1b\}|001b)\[2J\\u\{202e\}b\\u\{9b\}\\u\{2028\}c/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

afterEach(() => vi.restoreAllMocks());

/** Expects that the text has what the peer sent, visibly, both in the message and in the stack trace. */
function expectVisible(error: unknown): void {
  if (!(error instanceof Error)) throw new Error('There was no error');
  expect(error.message).toMatch(VISIBLE);
  expect(error.message).not.toMatch(UNSAFE);
  expect(error.stack).not.toMatch(UNSAFE);
}

async function errorOf(failing: Promise<unknown>): Promise<unknown> {
  return failing.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** The reports of a client whose server lists this tool and answers its call with this result. */
async function reportsOf(tool: object, result: object = { content: [] }): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  const { script, client } = await play({ onError: (error) => errors.push(error) });
  script.onSend = ({ method, id }) =>
    script.reply(
      method === 'tools/list' ? { resultType: 'complete', tools: [tool] } : { resultType: 'complete', ...result },
      id,
    );
  await client.listTools();
  errors.push(await errorOf(client.callTool((tool as { name: string }).name)));
  return errors.filter((error) => error !== undefined);
}

describe('a client', () => {
  test('escapes the message of an error response, and keeps it as it was sent in toObject()', async () => {
    const { script, client } = await play();
    script.onSend = ({ id }) => script.say({ jsonrpc: '2.0', id, error: { code: -32000, message: HOSTILE } });
    const error = await errorOf(client.callTool('x'));
    expectVisible(error);
    expect((error as RpcError).toObject()).toEqual({ code: -32000, message: HOSTILE });
  });

  test('escapes an error that belongs to no request', async () => {
    const errors: Error[] = [];
    const { script } = await play({ onError: (error) => errors.push(error) });
    script.say({ jsonrpc: '2.0', error: { code: 1, message: HOSTILE } });
    expectVisible(errors[0]);
  });

  test('escapes the name of a tool whose result is malformed', async () => {
    const outputSchema = { type: 'object', required: ['n'] };
    const [error] = await reportsOf({ name: HOSTILE, inputSchema: { type: 'object' }, outputSchema });
    expectVisible(error);
  });

  test('escapes names in a schema that it cannot use, and in a result that does not follow its schema', async () => {
    const unusable = { type: 'object', properties: { [HOSTILE]: { type: 'nothing' } } };
    const [warning] = await reportsOf(
      { name: 't', inputSchema: { type: 'object' }, outputSchema: unusable },
      structured({}),
    );
    expectVisible(warning);
    const strict = { type: 'object', properties: { [HOSTILE]: { type: 'number' } } };
    const wrong = structured({ [HOSTILE]: 'x' });
    const [error] = await reportsOf({ name: 't', inputSchema: { type: 'object' }, outputSchema: strict }, wrong);
    expectVisible(error);
  });

  test('escapes the revisions that a server names', async () => {
    const script = new Script();
    script.onSend = ({ id }) =>
      script.say({ jsonrpc: '2.0', id, error: { code: -32022, message: 'no', data: { supported: [HOSTILE] } } });
    expectVisible(await errorOf(connect(script)));
  });

  test('escapes keys of questions', async () => {
    const { client } = await play();
    const question = { method: 'roots/list', params: {} } as const;
    const pending = {
      method: 'tools/call',
      params: { name: 't' },
      questions: { [HOSTILE]: question },
      state: undefined,
    };
    expectVisible(await errorOf(client.resume(pending as never, {})));
  });

  test.each(['exits', 'does not answer'])('escapes what a program that %s wrote on stderr', async (what) => {
    const rest = what === 'exits' ? 'process.exit(1)' : 'setInterval(() => {}, 1000)';
    const code = `process.stderr.write(${JSON.stringify(`a\u202eb\u001b[2J${'\u2028'}\u0007\n`)}, () => { ${rest} })`;
    const target = { command: process.execPath, args: ['-e', code] };
    const error = await errorOf(connect(target, { connectTimeout: 1500 }));
    expect((error as Error).message).toContain('a\\u{202e}b');
    expect((error as Error).message).not.toMatch(UNSAFE);
  });

  test('escapes what a server over HTTP answers', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 1, message: HOSTILE } });
    const server = createServer((_request, response) => {
      response.writeHead(500, 'Oh\u009bno', { 'content-type': 'application/json' }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const error = await errorOf(connect(`http://127.0.0.1:${port}/mcp`));
    server.closeAllConnections();
    server.close();
    expect(error).toBeInstanceOf(ConnectionError);
    expectVisible(error);
  });

  test('escapes what extensions read', async () => {
    expectVisible(cancelled({ statusMessage: HOSTILE } as never, 'tools/call "t"'));
    expectVisible(new SkillError('malformed', `The skill ${HOSTILE}`));
    const connection = { readResource: async () => ({ contents: [] }), resources: async function* () {} };
    expectVisible(await errorOf(readApp(connection as never, `ui://x/${HOSTILE}`)));
  });
});

test('every ConnectionError is safe to print, whatever is in its message', () => {
  expectVisible(new ConnectionError('failed', HOSTILE));
  expect(new ConnectionError('failed', 'one\ntwo').message).toBe('one\ntwo');
});

test('an error of our own is sent as it is', () => {
  expect(new RpcError(1, HOSTILE).toObject().message).toBe(HOSTILE);
});

describe('a server', () => {
  test('escapes what clients sent in the line that it writes on stderr', async () => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
    const server = new McpServer({ name: 's', version: '1' }).registerResourceTemplate(
      'a:{rest}',
      {},
      (_variables, ctx) => {
        throw new Error(`No ${decodeURIComponent(String(ctx.params['uri']))}`, { cause: new Error(HOSTILE) });
      },
    );
    const wire = await open(server);
    await wire.call('resources/read', { uri: `a:${encodeURIComponent(HOSTILE)}` });
    const written = stderr.mock.calls.map((words) => words.join(' ')).join('\n');
    expect(written).toMatch(VISIBLE);
    expect(written).toContain('caused by Error: a\\u{1b}');
    expect(written).not.toMatch(UNSAFE);
  });

  test('escapes the name of a tool, a prompt or a method that it does not have', async () => {
    const server = new McpServer({ name: 's', version: '1' })
      .registerTool('t', {}, () => '')
      .registerPrompt('p', {}, () => '');
    const wire = await open(server);
    for (const [method, params] of [
      ['tools/call', { name: HOSTILE }],
      ['prompts/get', { name: HOSTILE }],
      [HOSTILE, {}],
    ] as const) {
      const { error } = (await wire.call(method, params)) as { error?: { message: string } };
      expect(error?.message).toMatch(VISIBLE);
      expect(error?.message).not.toMatch(UNSAFE);
    }
  });

  test('escapes the reason for a cancellation', async () => {
    const reasons: unknown[] = [];
    const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, (_args, ctx) => {
      return new Promise<string>((resolve) => {
        ctx.signal.addEventListener('abort', () => {
          reasons.push(ctx.signal.reason);
          resolve('');
        });
      });
    });
    const wire = await open(server);
    void wire.call('tools/call', { name: 't' }, 7);
    wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7, reason: HOSTILE } });
    await vi.waitFor(() => expect(reasons).toHaveLength(1));
    expectVisible(reasons[0]);
  });
});

function structured(structuredContent: object): object {
  return { content: [], structuredContent };
}
