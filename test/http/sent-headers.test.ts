/** `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` never say something else than the body, whatever revision a client speaks. */

import { describe, expect, test } from 'vitest';
import { type Answer, FACES, openSession, post, type Reached } from './faces.ts';
import { CLAIM, call, type Headers, initialize, POST } from './messages.ts';
import { makeStage } from './stage.ts';

const MISMATCH = -32020;

async function open(face: (typeof FACES)[number], options: object = {}): Promise<Reached> {
  const { server } = makeStage();
  server.registerTool(
    'route',
    {
      inputSchema: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      },
    },
    () => 'routed',
  );
  return face.open(server, options);
}

async function outcome(answer: Answer): Promise<unknown> {
  if (answer.status === 202) return 202;
  const { error } = (await answer.json()) as { error?: { code: number } };
  return error ? [answer.status, error.code] : answer.status;
}

describe.each(FACES)('through $name', (face) => {
  test.each<[string, Headers, unknown]>([
    ['the method', { 'mcp-method': 'tools/call', 'mcp-name': 'echo' }, 200],
    ['another method', { 'mcp-method': 'tools/list' }, [400, MISMATCH]],
    ['another name', { 'mcp-name': 'other' }, [400, MISMATCH]],
  ])('a call in a session with headers that say %s', async (_, headers, expected) => {
    const reached = await open(face);
    const session = await openSession(reached);
    expect(await outcome(await post(reached, call(1, 'echo', { text: 'x' }), { ...session, ...headers }))).toEqual(
      expected,
    );
    await reached.close();
  });

  test.each<[string, Headers, unknown]>([
    ['eu', { 'mcp-param-region': 'eu' }, 200],
    ['us', { 'mcp-param-region': 'us' }, [400, MISMATCH]],
    ['nothing', {}, 200],
  ])('a call in a session whose Mcp-Param-Region says %s while the argument is eu', async (_, headers, expected) => {
    const reached = await open(face);
    const session = await openSession(reached);
    const answer = await post(reached, call(1, 'route', { region: 'eu' }), { ...session, ...headers });
    expect(await outcome(answer)).toEqual(expected);
    await reached.close();
  });

  test('the handshake is compared, too', async () => {
    const reached = await open(face);
    expect(await outcome(await post(reached, initialize(), { 'mcp-method': 'tools/list' }))).toEqual([400, MISMATCH]);
    await reached.close();
  });

  test('a call without a session is compared, too', async () => {
    const reached = await open(face, { sessions: false });
    const answer = await post(reached, call(1, 'echo', { text: 'x' }), { 'mcp-method': 'tools/list' });
    expect(await outcome(answer)).toEqual([400, MISMATCH]);
    await reached.close();
  });

  test('a notification is compared on every revision', async () => {
    const reached = await open(face);
    const session = await openSession(reached);
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const other = { 'mcp-method': 'tools/list' };
    expect(await outcome(await post(reached, notification, { ...session, ...other }))).toEqual([400, MISMATCH]);
    const modern = { ...notification, method: 'notifications/x', params: { _meta: CLAIM } };
    const version = { 'mcp-protocol-version': '2026-07-28' };
    expect(await outcome(await post(reached, modern, { ...version, ...other }))).toEqual([400, MISMATCH]);
    expect(await outcome(await post(reached, modern, { ...version, 'mcp-method': 'notifications/x' }))).toBe(202);
    await reached.close();
  });

  test('a response has no method that a header could name', async () => {
    const reached = await open(face);
    const session = await openSession(reached);
    const response = { jsonrpc: '2.0', id: 1, result: {} };
    expect(await outcome(await post(reached, response, { ...session, 'mcp-method': 'tools/call' }))).toEqual([
      400,
      MISMATCH,
    ]);
    await reached.close();
  });

  test.each(['mcp-method', 'mcp-name', 'mcp-param-region'])('a batch with the header %s is refused', async (name) => {
    const reached = await open(face);
    const session = await openSession(reached, { version: '2025-03-26' });
    const batch = [call(1, 'echo', { text: 'x' })];
    expect((await post(reached, batch, session)).status).toBe(200);
    expect(await outcome(await post(reached, batch, { ...session, [name]: 'x' }))).toEqual([400, MISMATCH]);
    await reached.close();
  });

  test('Mcp-Name is refused where the request of 2026-07-28 is about nothing with a name', async () => {
    const reached = await open(face);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: CLAIM } };
    const headers = { ...POST, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    expect((await post(reached, list, headers)).status).toBe(200);
    expect(await outcome(await post(reached, list, { ...headers, 'mcp-name': 'echo' }))).toEqual([400, MISMATCH]);
    await reached.close();
  });
});
