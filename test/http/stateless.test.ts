/** 2026-07-28 over HTTP: what the headers have to say again, and which status an error has. */

import { McpServer } from 'mcpp/server';
import { describe, expect, test } from 'vitest';
import { messagesOf, nextMessage } from './events.ts';
import { FACES, node, openSession, post, type Reached } from './faces.ts';
import { CLAIM, call, type Headers, initialize, type Message, POST, stateless, statelessHeaders } from './messages.ts';
import { answerTo, rawRequest } from './raw.ts';
import { makeStage } from './stage.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const list = stateless(1, 'tools/list');
const echo = call(1, 'echo', { text: 'hi' }, true);

/** The headers of a message, without some and with others. */
function but(message: Message, changes: Readonly<Record<string, string | undefined>>): Headers {
  const fields = Object.entries({ ...statelessHeaders(message), ...changes });
  return Object.fromEntries(fields.filter((field): field is [string, string] => field[1] !== undefined));
}

async function outcome(reached: Reached, message: unknown, headers: Headers): Promise<[number, unknown, unknown]> {
  const answer = await reached.send({ headers, body: JSON.stringify(message) });
  const { id, error } = (await answer.json()) as { id?: unknown; error?: { code: number } };
  return [answer.status, error?.code, id];
}

describe.each(FACES)('through $name', ({ open }) => {
  test.each([
    ['Mcp-Method is missing', echo, { 'mcp-method': undefined }],
    ['Mcp-Method is another', echo, { 'mcp-method': 'tools/list' }],
    ['Mcp-Method has other letters', echo, { 'mcp-method': 'TOOLS/CALL' }],
    ['Mcp-Name is missing', echo, { 'mcp-name': undefined }],
    ['Mcp-Name is another', echo, { 'mcp-name': 'wait' }],
    ['Mcp-Name has other letters', echo, { 'mcp-name': 'Echo' }],
    ['Mcp-Name is the base64 of another', echo, { 'mcp-name': '=?base64?d2FpdA==?=' }],
    ['Mcp-Name is no base64', echo, { 'mcp-name': '=?base64?!!!?=' }],
    ['Mcp-Name is base64 without its end', echo, { 'mcp-name': '=?base64?ZWNobw?=' }],
    ['Mcp-Name is base64 with bits left over', echo, { 'mcp-name': '=?base64?ZWNobx==?=' }],
    ['Mcp-Name is base64 of the other alphabet', call(1, '??>', {}, true), { 'mcp-name': '=?base64?Pz8-?=' }],
    ['the version is missing', echo, { 'mcp-protocol-version': undefined }],
    ['the version is another', echo, { 'mcp-protocol-version': '2025-11-25' }],
    ['the version is unknown', echo, { 'mcp-protocol-version': '1900-01-01' }],
  ])('%s: 400 and -32020, nothing is run', async (_, message, changes) => {
    const reached = await open(makeStage().server);
    expect(await outcome(reached, message, but(message, changes))).toEqual([400, -32020, 1]);
    await reached.close();
  });

  test('a name that looks like base64 is compared as what it stands for', async () => {
    const reached = await open(makeStage().server);
    const name = '=?base64?ZWNobw==?=';
    const message = call(1, name, {}, true);
    expect(await outcome(reached, message, but(message, { 'mcp-name': name }))).toEqual([400, -32020, 1]);
    const encoded = `=?base64?${btoa(name)}?=`;
    expect(await outcome(reached, message, but(message, { 'mcp-name': encoded }))).toEqual([200, -32602, 1]);
    await reached.close();
  });

  test('what HTTP cannot carry as it is comes as base64', async () => {
    const reached = await open(makeStage().server);
    const unknown = call(1, 'grüße', {}, true);
    const encoded = `=?base64?${Buffer.from('grüße').toString('base64')}?=`;
    expect(await outcome(reached, unknown, but(unknown, { 'mcp-name': encoded }))).toEqual([200, -32602, 1]);
    expect(await outcome(reached, unknown, but(unknown, { 'mcp-name': 'grüße' }))).toEqual([400, -32020, 1]);
    const known = but(echo, { 'mcp-name': '=?base64?ZWNobw==?=' });
    expect(await outcome(reached, echo, known)).toEqual([200, undefined, 1]);
    await reached.close();
  });

  test('the version in the header is told apart from an unknown one in both places', async () => {
    const reached = await open(makeStage().server);
    const other = { ...list, params: { _meta: { ...CLAIM, [VERSION]: '1900-01-01' } } };
    expect(await outcome(reached, other, statelessHeaders(list))).toEqual([400, -32020, 1]);
    const answer = await reached.send({
      headers: but(list, { 'mcp-protocol-version': '1900-01-01', 'mcp-method': undefined }),
      body: JSON.stringify(other),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      id: 1,
      error: {
        code: -32022,
        data: {
          requested: '1900-01-01',
          supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
        },
      },
    });
    await reached.close();
  });

  test('a revision with sessions cannot be claimed by a request', async () => {
    const reached = await open(makeStage().server);
    const message = { ...list, params: { _meta: { ...CLAIM, [VERSION]: '2025-11-25' } } };
    const headers = but(list, { 'mcp-protocol-version': '2025-11-25' });
    expect(await outcome(reached, message, headers)).toEqual([400, -32022, 1]);
    await reached.close();
  });

  test.each([
    ['a version that is no text', { ...CLAIM, [VERSION]: 5 }],
    ['a version that is null', { ...CLAIM, [VERSION]: null }],
    ['no capabilities', { [VERSION]: '2026-07-28' }],
    ['capabilities that are no object', { ...CLAIM, 'io.modelcontextprotocol/clientCapabilities': [] }],
    ['a client without a name', { ...CLAIM, 'io.modelcontextprotocol/clientInfo': { version: '1' } }],
    ['a log level that does not exist', { ...CLAIM, 'io.modelcontextprotocol/logLevel': 'loud' }],
  ])('%s: 400 and -32602, before the headers are looked at', async (_, meta) => {
    const reached = await open(makeStage().server);
    const message = { ...list, params: { _meta: meta } };
    expect(await outcome(reached, message, but(list, { 'mcp-method': 'other' }))).toEqual([400, -32602, 1]);
    await reached.close();
  });

  test('a request that says its revision only in the header lacks its _meta: 400 and -32602', async () => {
    const reached = await open(makeStage().server);
    const bare = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect(await outcome(reached, bare, statelessHeaders(list))).toEqual([400, -32602, 1]);
    await reached.close();
  });

  test('"initialize" under a header that names a revision without it: 400 and -32020', async () => {
    const reached = await open(makeStage().server);
    const headers = { ...POST, 'mcp-protocol-version': '2026-07-28' };
    expect(await outcome(reached, initialize(), headers)).toEqual([400, -32020, 'hello']);
    await reached.close();
  });

  test.each(['no/such', 'initialize', 'ping', 'logging/setLevel', 'resources/subscribe', '__proto__', 'prompts/list'])(
    '%s is not there: 404 and -32601',
    async (method) => {
      const reached = await open(makeStage().server);
      const message = stateless(7, method);
      expect(await outcome(reached, message, statelessHeaders(message))).toEqual([404, -32601, 7]);
      await reached.close();
    },
  );

  test.each([
    ['a tool that does not exist', stateless(1, 'tools/call', { name: 'none', arguments: {} })],
    ['a cursor nobody gave', stateless(1, 'tools/list', { cursor: 'made up' })],
    ['listening without saying to what', stateless(1, 'subscriptions/listen')],
  ])('%s is part of the conversation: 200 and -32602', async (_, message) => {
    const reached = await open(makeStage().server);
    expect(await outcome(reached, message, statelessHeaders(message))).toEqual([200, -32602, 1]);
    await reached.close();
  });

  test('arguments that break the schema are told to the model, 200', async () => {
    const reached = await open(makeStage().server);
    const message = call(1, 'echo', { text: 5 }, true);
    const answer = await reached.send({ headers: statelessHeaders(message), body: JSON.stringify(message) });
    expect([answer.status, await answer.json()]).toMatchObject([200, { result: { isError: true } }]);
    await reached.close();
  });

  test('a capability that only the handler finds missing: 400 and -32021', async () => {
    const server = new McpServer({ name: 's', version: '1' }).registerTool('ask', {}, async (_, ctx) => {
      const answer = await ctx.elicit('Name?', { type: 'object', properties: { name: { type: 'string' } } });
      return answer.action;
    });
    const reached = await open(server);
    const message = call(1, 'ask', {}, true);
    const answer = await reached.send({ headers: statelessHeaders(message), body: JSON.stringify(message) });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
    });
    await reached.close();
  });

  test('an error of a handler says nothing of what went wrong', async () => {
    const stage = makeStage();
    stage.server.registerTool('broken', {}, () => {
      throw new Error('pg://user:pw@10.0.0.5');
    });
    const reached = await open(stage.server);
    const message = call(1, 'broken', {}, true);
    const answer = await reached.send({ headers: statelessHeaders(message), body: JSON.stringify(message) });
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).result.isError]).toEqual([200, true]);
    expect(text).not.toMatch(/pg:|10\.0\.0\.5|\.ts:/);
    expect(String(stage.errors[0])).toContain('pg://');
    await reached.close();
  });

  test('a notification gets 202 and no body, without headers of its own', async () => {
    const reached = await open(makeStage().server);
    const notice = { jsonrpc: '2.0', method: 'notifications/extension', params: { _meta: CLAIM } };
    const answer = await post(reached, notice);
    expect([answer.status, await answer.text()]).toEqual([202, '']);
    const unknown = { ...notice, params: { _meta: { ...CLAIM, [VERSION]: '1900-01-01' } } };
    expect((await outcome(reached, unknown, POST)).slice(0, 2)).toEqual([400, -32022]);
    await reached.close();
  });

  test('a batch with a stateless request in it: 400, with and without a session', async () => {
    const reached = await open(makeStage().server);
    expect((await outcome(reached, [echo], statelessHeaders(echo))).slice(0, 2)).toEqual([400, -32600]);
    const session = await openSession(reached, { version: '2025-03-26' });
    const inSession = await outcome(reached, [echo, list], { ...POST, ...session });
    expect(inSession.slice(0, 2)).toEqual([400, -32600]);
    await reached.close();
  });

  test('a session id and the id of an event are passed over, and none is given', async () => {
    const reached = await open(makeStage().server);
    const headers = { ...statelessHeaders(echo), 'mcp-session-id': 'whatever', 'last-event-id': 'post-x.1' };
    const answer = await reached.send({ headers, body: JSON.stringify(echo) });
    expect(answer.status).toBe(200);
    expect(answer.header('mcp-session-id')).toBeUndefined();
    await reached.close();
  });

  test('a stream opens with the first thing there is to say, and ends with the answer', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const message = call(1, 'wait', { name: 'a' }, true);
    const asked = reached.ask({ headers: statelessHeaders(message), body: JSON.stringify(message) });
    const begun = await stage.begun();
    begun.ctx.reportProgress(1, 2);
    const answer = await asked.answer;
    expect(answer.header('content-type')).toBe('text/event-stream');
    expect(await answer.next()).toEqual({
      text: expect.not.stringContaining('id:'),
      event: 'message',
      data: '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":1,"total":2}}',
    });
    begun.end('done');
    expect(await messagesOf(answer)).toMatchObject([{ id: 1, result: { content: [{ text: 'done' }] } }]);
    await reached.close();
  });

  test('listening to nothing that there is ends at once; listening to something goes on', async () => {
    const { server } = makeStage();
    const reached = await open(server);
    const nothing = stateless(1, 'subscriptions/listen', { notifications: { promptsListChanged: true } });
    const over = await reached.send({ headers: statelessHeaders(nothing), body: JSON.stringify(nothing) });
    expect(await messagesOf(over)).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 1, result: { resultType: 'complete' } },
    ]);
    const something = stateless('s', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    const stream = await reached.send({ headers: statelessHeaders(something), body: JSON.stringify(something) });
    expect(await nextMessage(stream)).toMatchObject({ params: { notifications: { toolsListChanged: true } } });
    server.registerTool('another', {}, () => 'x');
    expect(await nextMessage(stream)).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 's' } },
    });
    stream.hangUp();
    await reached.close();
  });

  test('whoever listens has to accept a stream', async () => {
    const reached = await open(makeStage().server);
    const listen = stateless(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    const headers = { ...statelessHeaders(listen), accept: 'application/json' };
    expect((await outcome(reached, listen, headers))[0]).toBe(406);
    await reached.close();
  });
});

describe('arguments that are sent as headers', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    },
  } as const;
  const server = new McpServer({ name: 's', version: '1' }).registerTool('deploy', { inputSchema }, (args) => {
    return JSON.stringify(args);
  });

  test.each([
    ['what they say', { region: 'eu', count: 42, dry: true }, { region: 'eu', count: '42', dry: 'true' }, 200],
    ['an integer, however it is written', { count: 42 }, { count: '42.0' }, 200],
    ['another integer', { count: 42 }, { count: '43' }, 400],
    ['an integer with something behind it', { count: 42 }, { count: '42 ' + 'x' }, 400],
    ['a text that only looks like the same number', { region: '42' }, { region: '42.0' }, 400],
    ['something else', { region: 'eu' }, { region: 'us' }, 400],
    ['the same in base64', { region: 'eu' }, { region: '=?base64?ZXU=?=' }, 200],
    ['broken base64', { region: 'eu' }, { region: '=?base64?ZXU?=' }, 400],
    ['nothing, though there is an argument', { region: 'eu' }, {}, 400],
    ['something, though there is no argument', {}, { region: 'eu' }, 400],
    ['nothing of an argument that is null', { region: null }, {}, 200],
    ['nothing of an argument that is not there', {}, {}, 200],
  ])('the headers say %s: %j as %j gets %i', async (_, args, params, status) => {
    const reached = await node.open(server);
    const message = stateless(1, 'tools/call', { name: 'deploy', arguments: args });
    const fields = Object.entries(params).map(([name, value]) => [`mcp-param-${name}`, value]);
    const headers = { ...statelessHeaders(message), ...Object.fromEntries(fields) };
    const answer = await reached.send({ headers, body: JSON.stringify(message) });
    const { error } = (await answer.json()) as { error?: { code: number } };
    expect([answer.status, error?.code]).toEqual([status, status === 400 ? -32020 : undefined]);
    await reached.close();
  });

  test('letters beyond ASCII in a header are malformed, even if they are what the body says', async () => {
    const reached = await node.open(server);
    const message = stateless(1, 'tools/call', { name: 'deploy', arguments: { region: '\u00e9' } });
    const fields = Object.entries(statelessHeaders(message)).map(([name, value]) => `${name}: ${value}`);
    const body = JSON.stringify(message);
    const text = rawRequest('POST /mcp HTTP/1.1', ['Host: localhost', ...fields, 'Mcp-Param-Region: \u00e9'], body);
    const [head = ''] = text.split('\r\n\r\n');
    const answer = await answerTo(
      reached.port,
      Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), Buffer.from(body)]),
    );
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({
      error: { code: -32020, message: 'The header Mcp-Param-Region is malformed' },
    });
    await reached.close();
  });
});
