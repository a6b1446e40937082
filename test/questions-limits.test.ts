/** Calls that ask too much: refused with a reference, and the operator is told why. */

import { type Context, inputRequired, McpServer, type McpServerOptions } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { open, type Reply } from './wire.ts';

const capabilities = { elicitation: { form: {} } };
const form = z.object({});

const serverOf = (handler: (ctx: Context) => unknown, options: McpServerOptions): McpServer<unknown> =>
  new McpServer({ name: 's', version: '1' }, options).registerTool('t', {}, (_, ctx) => handler(ctx) as string);

/** Answers every question with yes, and gives the last reply. */
async function lastReply(server: McpServer<unknown>): Promise<Reply> {
  const wire = await open(server, { capabilities });
  let carried: object = {};
  for (;;) {
    const reply = await wire.call('tools/call', { name: 't', ...carried });
    if (reply.result?.['resultType'] !== 'input_required') return reply;
    const { inputRequests = {}, requestState } = reply.result as { inputRequests?: object; requestState: string };
    const answers = Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: {} }]);
    carried = { inputResponses: Object.fromEntries(answers), requestState };
  }
}

/** What was reported, after a check that the client got its reference and nothing else. */
function reportOf(onError: ReturnType<typeof vi.fn>, { error }: Reply): string {
  expect(onError).toHaveBeenCalledTimes(1);
  const [reported, about] = onError.mock.calls[0] as [Error, { reference: string }];
  expect(about).toMatchObject({ method: 'tools/call', name: 't' });
  expect(error).toEqual({ code: -32603, message: `Internal error (reference ${about.reference})` });
  return reported.message;
}

describe('more rounds than the limit', () => {
  const threeTimes = async (ctx: Context): Promise<string> => {
    for (const message of ['1', '2', '3']) await ctx.elicit(message, form);
    return 'done';
  };

  test('are refused', async () => {
    const onError = vi.fn();
    const reply = await lastReply(serverOf(threeTimes, { onError, limits: { roundTrips: 2 } }));
    expect(reportOf(onError, reply)).toContain('more than 2 round trips');
  });

  test('are refused to a handler that returns its questions as well', async () => {
    const onError = vi.fn();
    const params = { mode: 'form', message: '?', requestedSchema: { type: 'object', properties: {} } } as const;
    const requests = { a: { method: 'elicitation/create', params } } as const;
    const server = serverOf(() => inputRequired({ requests, state: 1 }), { onError, limits: { roundTrips: 2 } });
    expect(reportOf(onError, await lastReply(server))).toContain('more than 2 round trips');
  });

  test('are none if the limit is just reached', async () => {
    const reply = await lastReply(serverOf(threeTimes, { limits: { roundTrips: 3 } }));
    expect(reply.result).toMatchObject({ content: [{ text: 'done' }] });
  });
});

describe('a state', () => {
  const carrying = (text: string) => async (ctx: Context) => {
    const kept = await ctx.step('s', () => text);
    await ctx.elicit('?', form);
    return String(kept === text);
  };

  test.each<[string, string]>([
    ['600,000 letters', 'x'.repeat(600_000)],
    ['200,000 characters of three bytes', '世'.repeat(200_000)],
    ['150,000 characters of four bytes', '😀'.repeat(150_000)],
    ['100,000 characters that JSON escapes', '\u0001'.repeat(100_000)],
  ])('of %s is too large, and refused', async (_, text) => {
    const onError = vi.fn();
    const reply = await lastReply(serverOf(carrying(text), { onError }));
    expect(reportOf(onError, reply)).toContain('exceed 524288 characters of requestState');
  });

  test.each<[string, string]>([
    ['300,000 letters', 'x'.repeat(300_000)],
    ['100,000 characters of three bytes', '世'.repeat(100_000)],
  ])('of %s is opened again', async (_, text) => {
    const reply = await lastReply(serverOf(carrying(text), {}));
    expect(reply.result).toMatchObject({ content: [{ text: 'true' }] });
  });

  test('of any size near the limit is refused or opened again', async () => {
    const outcomes = new Set<string>();
    // What is carried beside the text is not the same every time.
    for (let length = 392_700; length <= 393_300; length += 60) {
      const onError = vi.fn();
      const reply = await lastReply(serverOf(carrying('x'.repeat(length)), { onError }));
      outcomes.add(
        reply.error ? reportOf(onError, reply).replace(/\d+/g, 'n') : JSON.stringify(reply.result?.['content']),
      );
    }
    expect([...outcomes]).toEqual([
      '[{"type":"text","text":"true"}]',
      'The input responses and steps of this call exceed n characters of requestState',
    ]);
  });

  test('that a handler returns is refused likewise', async () => {
    const onError = vi.fn();
    const server = serverOf(() => inputRequired({ state: '世'.repeat(200_000) }), { onError });
    expect(reportOf(onError, await lastReply(server))).toContain('exceed 524288 characters of requestState');
  });
});
