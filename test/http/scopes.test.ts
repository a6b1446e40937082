/** What a caller is told who lacks a scope: 403 and what to ask for, in every way to call, before anything is begun. */

import { type Authenticate, type Challenge, verifier } from 'mcpp/auth/server';
import { McpServer } from 'mcpp/server';
import { beforeEach, describe, expect, test } from 'vitest';
import { nextMessage } from './events.ts';
import { type Answer, FACES, type Face, openSession, post, type Reached } from './faces.ts';
import { call, initialize, type Message, notification, POST, stateless, statelessHeaders } from './messages.ts';

const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
const scopes = ['files:read', 'files:write'];

let ran: string[] = [];
beforeEach(() => {
  ran = [];
});

function make(): McpServer {
  const did = (what: string) => (): string => {
    ran.push(what);
    return what;
  };
  const inputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
  const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} });
  server
    .registerTool('free', {}, did('free'))
    .registerTool('read', { scopes: ['files:read'] }, did('read'))
    .registerTool('write', { scopes, inputSchema }, did('write'))
    .registerTool('hidden', { scopes, visible: () => false }, did('hidden'))
    .registerPrompt('plan', { scopes }, did('plan'))
    .registerResource('x://secret', { scopes }, did('secret'))
    .registerResourceTemplate('x://files/{name}', { scopes }, did('file'))
    .use((ctx, next) => {
      // What says something here opens a stream.
      ctx.reportProgress(1);
      return next();
    });
  return server;
}

const GRANTED: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ['none', []],
  ['r', ['files:read']],
  ['rw', ['files:read', 'files:write']],
]);

const plain: Authenticate = (credentials) => {
  const granted = GRANTED.get(credentials?.token);
  return granted ? { subject: 'alice', scopes: granted } : { status: 401 };
};

/** The same, which says more in its challenges. */
const withMetadata: Authenticate = Object.assign(
  (...args: Parameters<Authenticate>): ReturnType<Authenticate> => plain(...args),
  {
    protectedResource: {
      metadataUrl: METADATA,
      metadata: {},
      insufficientScope: (needed: readonly string[]): Challenge => ({
        status: 403,
        headers: {
          'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${needed.join(' ')}", resource_metadata="${METADATA}"`,
        },
      }),
    },
  },
);

const lacking = { authorization: 'Bearer r' };
const having = { authorization: 'Bearer rw' };

const FULL = `Bearer error="insufficient_scope", scope="files:read files:write", resource_metadata="${METADATA}"`;
const bodyFor = (id: unknown): object => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: -32600,
    message: 'This request requires the scopes files:read, files:write',
    data: { requiredScopes: scopes },
  },
});

async function expectRefused(answer: Answer, id: unknown, challenge = FULL): Promise<void> {
  expect([answer.status, answer.header('www-authenticate')]).toEqual([403, challenge]);
  expect(answer.header('content-type')).toBe('application/json');
  expect(await answer.json()).toEqual(bodyFor(id));
  expect(ran).toEqual([]);
}

const CALLS: readonly (readonly [method: string, params: Record<string, unknown>])[] = [
  ['tools/call', { name: 'write', arguments: { n: 1 } }],
  ['prompts/get', { name: 'plan' }],
  ['resources/read', { uri: 'x://secret' }],
  ['resources/read', { uri: 'x://files/a' }],
];

/** A way to call: gives the answer to one message. */
interface Mode {
  readonly name: string;
  open(face: Face, auth: Authenticate | undefined): Promise<Reached>;
  say(reached: Reached, headers: Readonly<Record<string, string>>, method: string, params: object): Promise<Answer>;
}

const progress = { _meta: { progressToken: 'p' } };
const inSession = (version: string): Mode => ({
  name: `a session of ${version}`,
  open: (face, auth) => face.open(make(), { auth }),
  async say(reached, headers, method, params) {
    // Whoever opened it, and whatever the token of that moment was good for.
    const session = await openSession(reached, { version, headers: { ...headers } });
    return post(reached, { jsonrpc: '2.0', id: 1, method, params: { ...progress, ...params } }, session);
  },
});
const MODES: readonly Mode[] = [
  {
    name: '2026-07-28',
    open: (face, auth) => face.open(make(), { auth }),
    say(reached, headers, method, params) {
      const message = stateless(1, method, { ...progress, ...params });
      return post(reached, message, { ...statelessHeaders(message), ...headers });
    },
  },
  inSession('2025-11-25'),
  inSession('2025-06-18'),
  inSession('2025-03-26'),
  {
    name: '2025-11-25 without sessions',
    open: (face, auth) => face.open(make(), { auth, sessions: false }),
    say: (reached, headers, method, params) =>
      post(
        reached,
        { jsonrpc: '2.0', id: 1, method, params: { ...progress, ...params } },
        { 'mcp-protocol-version': '2025-11-25', ...headers },
      ),
  },
];

const WAYS = FACES.flatMap((face) => MODES.map((mode) => ({ face, mode, way: `${face.name}, ${mode.name}` })));

describe.each(WAYS)('$way', ({ face, mode }) => {
  test.each(CALLS)('%s %j gets 403, the challenge and an error with its id; nothing runs', async (method, params) => {
    const reached = await mode.open(face, withMetadata);
    await expectRefused(await mode.say(reached, lacking, method, params), 1);
    await reached.close();
  });

  test.each(CALLS)('%s %j runs for whom all scopes were granted', async (method, params) => {
    const reached = await mode.open(face, withMetadata);
    const answer = await mode.say(reached, having, method, params);
    await answer.text();
    expect([answer.status, ran.length]).toEqual([200, 1]);
    await reached.close();
  });

  test('a plain function is challenged for as RFC 6750 has it', async () => {
    const reached = await mode.open(face, plain);
    const answer = await mode.say(reached, lacking, 'tools/call', { name: 'write' });
    await expectRefused(answer, 1, 'Bearer error="insufficient_scope", scope="files:read files:write"');
    await reached.close();
  });

  test('arguments need not be right for it', async () => {
    const reached = await mode.open(face, withMetadata);
    const answer = await mode.say(reached, lacking, 'tools/call', { name: 'write', arguments: { n: 'x' } });
    await expectRefused(answer, 1);
    await reached.close();
  });

  test('what is hidden stays unknown', async () => {
    const reached = await mode.open(face, withMetadata);
    const answer = await mode.say(reached, lacking, 'tools/call', { name: 'hidden' });
    expect([answer.status, answer.header('www-authenticate')]).toEqual([200, undefined]);
    expect(await answer.text()).toContain('Unknown tool: hidden');
    await reached.close();
  });

  test('without "auth" it is refused to everybody, and the developer is told', async () => {
    const reached = await mode.open(face, undefined);
    const answer = await mode.say(reached, {}, 'tools/call', { name: 'write', arguments: { n: 1 } });
    expect([answer.status, answer.header('www-authenticate')]).toEqual([403, undefined]);
    expect(await answer.json()).toMatchObject({
      id: 1,
      error: {
        code: -32600,
        message: expect.stringContaining('set the option "auth"'),
        data: { requiredScopes: scopes },
      },
    });
    expect(ran).toEqual([]);
    const free = await mode.say(reached, {}, 'tools/call', { name: 'free' });
    expect([free.status, await free.text()]).toEqual([200, expect.stringContaining('free')]);
    await reached.close();
  });
});

describe.each(FACES)('through $name', (face) => {
  test('a session gets more or less with the token of each request', async () => {
    const reached = await face.open(make(), { auth: withMetadata });
    const session = await openSession(reached, { headers: lacking });
    const message = call(1, 'write', { n: 1 });
    await expectRefused(await post(reached, message, session), 1);
    expect((await post(reached, message, { ...session, ...having })).status).toBe(200);
    ran = [];
    await expectRefused(await post(reached, message, session), 1);
    await reached.close();
  });

  test.each([
    ['in a session', undefined],
    ['without sessions', false],
  ])('one member that lacks a scope refuses a batch of 2025-03-26, %s: nothing of it runs', async (_, sessions) => {
    const reached = await face.open(make(), { auth: withMetadata, ...(sessions === false ? { sessions } : {}) });
    const own = { 'mcp-protocol-version': '2025-03-26', authorization: 'Bearer none' };
    const headers = sessions === false ? own : await openSession(reached, { version: '2025-03-26', headers: own });
    const batch: Message[] = [
      call('a', 'free'),
      notification('notifications/roots/list_changed'),
      call('b', 'read'),
      call('c', 'write'),
    ];
    // All that the batch needs is named at once.
    await expectRefused(await post(reached, batch, headers), 'b');
    const granted = await post(reached, batch, { ...headers, ...having });
    await granted.text();
    expect([granted.status, ran]).toEqual([200, ['free', 'read']]);
    await reached.close();
  });

  test('who lacks a scope opens no subscription to what needs it', async () => {
    const reached = await face.open(make(), { auth: withMetadata });
    const message = stateless(1, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['x://secret'] } });
    await expectRefused(await post(reached, message, { ...statelessHeaders(message), ...lacking }), 1);
    const stream = await post(reached, message, { ...statelessHeaders(message), ...having });
    expect([stream.status, stream.header('content-type')]).toEqual([200, 'text/event-stream']);
    stream.hangUp();
    await reached.close();
  });

  test('on the old transport the POST is refused, and what was granted since counts', async () => {
    const reached = await face.open(make(), { auth: withMetadata, sse: true });
    const stream = await reached.send({ method: 'GET', headers: { accept: 'text/event-stream', ...lacking } });
    const target = (await stream.next())?.data ?? '';
    const say = (message: unknown, headers: object): Promise<Answer> =>
      reached.send({ target, headers: { ...POST, ...headers }, body: JSON.stringify(message) });
    await say(initialize('2024-11-05'), lacking);
    await nextMessage(stream);
    await say(notification('notifications/initialized'), lacking);
    await expectRefused(await say(call(1, 'write', { n: 1 }), lacking), 1);
    expect((await say(call(2, 'write', { n: 1 }), having)).status).toBe(202);
    // The stream says nothing of the refused call.
    expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/progress' });
    expect(await nextMessage(stream)).toMatchObject({ id: 2, result: { content: [{ text: 'write' }] } });
    ran = [];
    await expectRefused(await say(call(3, 'write', { n: 1 }), lacking), 3);
    stream.hangUp();
    await reached.close();
  });

  test('a page can read the challenge', async () => {
    const origin = 'https://app.example.com';
    const reached = await face.open(make(), { auth: withMetadata, origins: [origin] });
    const message = call(1, 'write', {}, true);
    const answer = await post(reached, message, { ...statelessHeaders(message), ...lacking, origin });
    expect(answer.header('access-control-expose-headers')).toContain('WWW-Authenticate');
    await expectRefused(answer, 1);
    await reached.close();
  });
});

describe.each(WAYS)('who lacks what every request needs: $way', ({ face, mode }) => {
  const auth = verifier({
    issuer: 'https://as.example.com',
    resource: 'https://mcp.example.com/mcp',
    scopes: ['mcp:use'],
    verify: (token) => ({ subject: 'alice', scopes: token === 'use' ? ['mcp:use'] : [] }),
  });
  const challengeFor = (scope: string): string =>
    `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${METADATA}", ` +
    'error_description="The token lacks a scope that the request needs"';

  test('is told once of all that its message needs', async () => {
    const reached = await mode.open(face, auth);
    const say = (token: string, method: string, params: object): Promise<Answer> =>
      mode === MODES[0] || mode === MODES[4]
        ? mode.say(reached, { authorization: `Bearer ${token}` }, method, params)
        : sayInSession(reached, token, method, params);
    const answer = await say('other', 'tools/call', { name: 'write', arguments: { n: 1 } });
    const scope = 'mcp:use files:read files:write';
    expect([answer.status, answer.header('www-authenticate')]).toEqual([403, challengeFor(scope)]);
    const message = `The request needs a token with the scope "${scope}"`;
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32600, message } });
    const free = await say('other', 'tools/call', { name: 'free' });
    expect([free.status, free.header('www-authenticate')]).toEqual([403, challengeFor('mcp:use')]);
    const hidden = await say('other', 'tools/call', { name: 'hidden' });
    expect(hidden.header('www-authenticate')).toBe(challengeFor('mcp:use'));
    expect(ran).toEqual([]);
    await (await say('use', 'tools/call', { name: 'free' })).text();
    expect(ran).toEqual(['free']);
    await reached.close();
  });

  // The session is one of its own, from when the token was good for more.
  async function sayInSession(reached: Reached, token: string, method: string, params: object): Promise<Answer> {
    const session = await openSession(reached, { headers: { authorization: 'Bearer use' } });
    const message = { jsonrpc: '2.0', id: 1, method, params: { ...progress, ...params } };
    return post(reached, message, { ...session, authorization: `Bearer ${token}` });
  }
});

describe.each(FACES)('who lacks what every request needs, through $name', (face) => {
  const auth = verifier({
    issuer: 'https://as.example.com',
    resource: 'https://mcp.example.com/mcp',
    scopes: ['mcp:use'],
    verify: (token) => ({ subject: 'alice', scopes: token === 'use' ? ['mcp:use'] : [] }),
  });
  const lackingAll = { authorization: 'Bearer other' };

  test('cannot listen, and cannot end its session', async () => {
    const reached = await face.open(make(), { auth, sse: true });
    const session = await openSession(reached, { headers: { authorization: 'Bearer use' } });
    for (const method of ['GET', 'DELETE']) {
      for (const headers of [{ ...session, ...lackingAll }, lackingAll]) {
        const answer = await reached.send({ method, headers: { accept: 'text/event-stream', ...headers } });
        expect([method, answer.status, answer.header('www-authenticate')]).toEqual([
          method,
          403,
          expect.stringMatching(/^Bearer error="insufficient_scope", scope="mcp:use"/),
        ]);
        await answer.text();
      }
    }
    const still = await reached.send({ method: 'DELETE', headers: { ...session } });
    expect(still.status).toBe(204);
    await reached.close();
  });

  test('is told of all that a batch needs, and what cannot be read is refused likewise', async () => {
    const reached = await face.open(make(), { auth });
    const version = '2025-03-26';
    const session = await openSession(reached, { version, headers: { authorization: 'Bearer use' } });
    const say = (body: string): Promise<Answer> =>
      reached.send({ headers: { ...POST, ...session, ...lackingAll }, body });
    const batch = await say(JSON.stringify([call('a', 'free'), call('b', 'read')]));
    expect(batch.header('www-authenticate')).toContain('scope="mcp:use files:read"');
    expect([batch.status, await batch.json()]).toEqual([403, expect.objectContaining({ id: 'a' })]);
    const broken = await say('{');
    expect([broken.status, broken.header('www-authenticate')]).toEqual([403, expect.stringContaining('"mcp:use"')]);
    expect(ran).toEqual([]);
    await reached.close();
  });

  test('a function of one’s own refuses when and how it says', async () => {
    const own: Authenticate = () => ({ status: 403, headers: { 'WWW-Authenticate': 'Bearer scope="x"' } });
    const reached = await face.open(make(), { auth: own });
    // The body would be refused, too, if somebody read it.
    const answer = await reached.send({ headers: { ...POST, ...lackingAll }, body: '{' });
    expect([answer.status, answer.header('www-authenticate')]).toEqual([403, 'Bearer scope="x"']);
    await reached.close();
  });
});
