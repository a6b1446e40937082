import { McpServer, type McpServerOptions, ToolError } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { open, type Reply } from '../../../test/wire.ts';

class DbError extends Error {
  readonly query = 'SELECT secret';
  override readonly cause = new Error('secret cause');
}

const fail = (): never => {
  throw new DbError('City not found');
};

function make(options: McpServerOptions, own: { errors?: 'hidden' | 'messages' } = {}): McpServer {
  const server = new McpServer({ name: 's', version: '1' }, { onError: () => {}, ...options });
  server.registerTool('t', own, fail);
  server.registerPrompt('p', own, fail);
  server.registerResource('x:r', own, fail);
  server.registerResourceTemplate('y:{id}', own, fail);
  return server;
}

async function replies(server: McpServer): Promise<string[]> {
  const wire = await open(server);
  const all = [
    await wire.call('tools/call', { name: 't' }),
    await wire.call('prompts/get', { name: 'p' }),
    await wire.call('resources/read', { uri: 'x:r' }),
    await wire.call('resources/read', { uri: 'y:1' }),
  ];
  for (const reply of all) expect(JSON.stringify(reply)).not.toMatch(/secret|SELECT| at /);
  return all.map(textOf);
}

function textOf({ result, error }: Reply): string {
  const { content, isError } = (result ?? {}) as { content?: { text: string }[]; isError?: boolean };
  if (error) return `${error.code} ${error.message}`;
  return `${isError} ${content?.[0]?.text}`;
}

const shown = ['true City not found', ...Array.from({ length: 3 }, () => '-32603 City not found')];
const hidden = expect.stringMatching(/^(true|-32603) Internal error \(reference [0-9a-f]{8}\)$/);

describe('the option errors', () => {
  test('hides messages of plain errors by default', async () => {
    expect(await replies(make({}))).toEqual([hidden, hidden, hidden, hidden]);
  });

  test("sends only the messages with errors: 'messages'", async () => {
    expect(await replies(make({ errors: 'messages' }))).toEqual(shown);
  });

  test('of a tool, prompt, resource or template overrides that of the server', async () => {
    expect(await replies(make({}, { errors: 'messages' }))).toEqual(shown);
    expect(await replies(make({ errors: 'messages' }, { errors: 'hidden' }))).toEqual([hidden, hidden, hidden, hidden]);
  });

  test('applies to errors of middleware, also before next() is called', async () => {
    expect(await replies(make({}).use(fail))).toEqual([hidden, hidden, hidden, hidden]);
    expect(await replies(make({ errors: 'messages' }).use(fail))).toEqual(shown);
    expect(await replies(make({}, { errors: 'messages' }).use(async () => fail()))).toEqual(shown);
  });

  test('does not hide the message of a ToolError of middleware', async () => {
    const wire = await open(
      make({}).use((ctx, next) => {
        if (ctx.method === 'tools/call') throw new ToolError('Try later');
        return next();
      }),
    );
    expect(textOf(await wire.call('tools/call', { name: 't' }))).toBe('true Try later');
  });

  test('bounds messages and makes their control characters visible', async () => {
    const server = new McpServer({ name: 's', version: '1' }, { onError: () => {}, errors: 'messages' });
    server.registerTool('t', {}, () => {
      throw new Error(`a\u001b[2J\nb\u202e${'c'.repeat(1e6)}`);
    });
    const text = textOf(await (await open(server)).call('tools/call', { name: 't' }));
    expect(text.slice(0, 28)).toBe('true a\\u{1b}[2J\nb\\u{202e}ccc');
    expect(text.length).toBeLessThan(2100);
  });

  test('passes errors to onError even if their message was sent', async () => {
    const onError = vi.fn();
    const wire = await open(make({ errors: 'messages', onError }));
    await wire.call('tools/call', { name: 't' });
    expect(onError).toHaveBeenCalledWith(expect.any(DbError), {
      method: 'tools/call',
      name: 't',
      reference: undefined,
    });
  });

  test('never sends the message of a wrong return value', async () => {
    const server = new McpServer({ name: 's', version: '1' }, { onError: () => {}, errors: 'messages' });
    server.registerTool('t', {}, () => new Map() as never);
    expect(textOf(await (await open(server)).call('tools/call', { name: 't' }))).toEqual(hidden);
  });

  test('must be one of the two values', () => {
    expect(() => new McpServer({ name: 's', version: '1' }, { errors: 'all' as never })).toThrow(
      'McpServer: errors must be "hidden" or "messages"',
    );
    expect(() => make({}, { errors: true as never })).toThrow('Tool "t": errors must be "hidden" or "messages"');
  });
});

describe('the hint about errors', () => {
  test('is reported once per tool, with the first error', async () => {
    const onError = vi.fn();
    const server = make({ onError });
    server.registerTool('other', {}, fail);
    const wire = await open(server);
    for (const name of ['t', 't', 'other', 't']) await wire.call('tools/call', { name });
    const hints = onError.mock.calls.map(([, { name, hint }]) => [name, hint !== undefined]);
    expect(hints).toEqual([
      ['t', true],
      ['t', false],
      ['other', true],
      ['t', false],
    ]);
  });

  test('is written to stderr', async () => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
    const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, fail);
    await (await open(server)).call('tools/call', { name: 't' });
    const text = stderr.mock.calls.map(([line]) => line).join('\n');
    stderr.mockRestore();
    expect(text).toContain("Throw new ToolError('...') to send a text to the model, or set errors: 'messages'");
  });
});
