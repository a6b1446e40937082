/** Signing in as a connection sees it: the same call continues, and no clock counts how long a person takes. */

import { oauth } from 'mcpp/auth/client';
import { type Connection, type ConnectOptions, connect } from 'mcpp/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Answers,
  closeAll,
  eventually,
  type RawServer,
  rawServer,
  stateful,
  stateless,
  TOOL,
  type Visit,
} from '../http-client/raw-server.ts';
import { AS, authorizationServer, callbackTo, resourceOf, tokens, type World, world } from './world.ts';

const TOKEN = `POST ${AS}/token`;
const HOUR = 3600_000;
// Who has just signed in is not asked again at once.
const LATER = 60_000;
// The MCP server is on this machine; its authorization server is anywhere.
const CALLS: Answers = {
  'tools/call': (visit) => visit.result({ resultType: 'complete', content: [] }),
  'tools/list': (visit) => visit.result({ resultType: 'complete', tools: [TOOL], ttlMs: HOUR, cacheScope: 'private' }),
  GET: (visit) => visit.status(405),
};

const open: Connection[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});

afterEach(async () => {
  vi.useRealTimers();
  for (const one of open.splice(0)) await one.close();
  await closeAll();
});

/** Lets in who has a token that is one of these. */
function guarded(answers: Answers, accepted: ReadonlySet<string>): Answers {
  const guard =
    (answer: (visit: Visit) => void) =>
    (visit: Visit): void => {
      const [, token = ''] = visit.headers.authorization?.split(' ') ?? [];
      if (accepted.has(token)) answer(visit);
      else visit.status(401, { 'www-authenticate': 'Bearer' });
    };
  return Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, guard(answer)]));
}

/** A person at the door: shown the page, they come back when they are told to. */
function person() {
  const pages: URL[] = [];
  const signals: AbortSignal[] = [];
  const comings: (() => void)[] = [];
  return {
    pages,
    signals,
    comeBack: () => comings.pop()?.(),
    authorize: (page: URL, { signal }: { signal: AbortSignal }) => {
      pages.push(page);
      signals.push(signal);
      return new Promise<URL>((resolve) => {
        comings.push(() => resolve(callbackTo(page, { code: 'code-1' })));
      });
    },
  };
}

interface Scene {
  readonly server: RawServer;
  readonly accepted: Set<string>;
  readonly world: World;
  readonly states: string[];
  readonly door: ReturnType<typeof person>;
  /** Connects, and is closed afterwards. */
  connect(options?: ConnectOptions): Promise<Connection>;
}

async function scene(greeting: Answers = stateless, unguarded: Answers = {}): Promise<Scene> {
  const accepted = new Set(['access-1']);
  const server = await rawServer({
    ...guarded({ ...greeting, ...CALLS }, accepted),
    DELETE: (visit) => visit.status(200),
    ...unguarded,
  });
  const made = world(
    {
      [`GET ${server.origin}/.well-known/oauth-protected-resource/mcp`]: {
        json: resourceOf([AS], { resource: server.url }),
      },
    },
    authorizationServer(),
  );
  const states: string[] = [];
  const door = person();
  const auth = oauth({ ...made.options, authorize: door.authorize, signInTimeoutMs: 2 * HOUR });
  return {
    server,
    accepted,
    world: made,
    states,
    door,
    async connect(options = {}) {
      const onStateChange = (state: string): void => void states.push(state);
      const connection = await connect(server.url, { auth, onStateChange, ...options });
      open.push(connection);
      return connection;
    },
  };
}

describe.each([
  ['without a handshake', stateless],
  ['with a handshake', stateful()],
])('a server %s', (_name, greeting) => {
  test('connecting waits for the person as long as it takes, and goes on', async () => {
    const { connect: go, door, states, world: made } = await scene(greeting);
    const connecting = go({ connectTimeout: 1000 });
    await eventually(() => door.pages.length > 0);
    expect(states).toEqual(['needs-auth']);
    await vi.advanceTimersByTimeAsync(HOUR);
    door.comeBack();
    const mcp = await connecting;
    expect(mcp.state).toBe('ready');
    expect(states).toEqual(['needs-auth', 'connecting', 'ready']);
    expect(made.to(TOKEN)).toHaveLength(1);
    await mcp.callTool('tool');
    expect(door.pages).toHaveLength(1);
  });

  test('a call that is refused is the same call that is answered', async () => {
    const { connect: go, door, states, accepted, world: made, server } = await scene(greeting);
    const connecting = go();
    await eventually(() => door.pages.length > 0);
    door.comeBack();
    const mcp = await connecting;
    accepted.clear();
    accepted.add('access-2');
    made.change({
      [TOKEN]: (asked) =>
        asked.fields['refresh_token']
          ? { status: 400, json: { error: 'invalid_grant' } }
          : { json: { access_token: 'access-2', token_type: 'Bearer' } },
    });
    vi.setSystemTime(Date.now() + LATER);
    states.length = 0;
    const calling = mcp.callTool('tool', {}, { timeout: 5000 });
    await eventually(() => door.pages.length > 1);
    expect(mcp.state).toBe('needs-auth');
    await vi.advanceTimersByTimeAsync(HOUR / 3);
    door.comeBack();
    expect(await calling).toMatchObject({ content: [] });
    expect(states).toEqual(['needs-auth', 'ready']);
    const [first, second] = server.to('tools/call');
    expect(second?.message).toEqual(first?.message);
  });

  test('every request has the token, whatever its method', async () => {
    const { connect: go, door, server } = await scene(greeting);
    const connecting = go();
    await eventually(() => door.pages.length > 0);
    door.comeBack();
    const mcp = await connecting;
    await mcp.callTool('tool');
    await mcp.close();
    const [refusedOne, ...rest] = server.visits;
    expect(refusedOne?.headers.authorization).toBeUndefined();
    for (const { headers } of rest) expect(headers.authorization).toBe('Bearer access-1');
  });
});

test('the clock goes on when the person is back: a server that says nothing then is given up', async () => {
  const { connect: go, door, accepted, server } = await scene({ 'server/discover': () => {} });
  const connecting = go({ connectTimeout: 1000 });
  const failure = connecting.catch((error: unknown) => error);
  await eventually(() => door.pages.length > 0);
  await vi.advanceTimersByTimeAsync(HOUR);
  expect(accepted.has('access-1')).toBe(true);
  door.comeBack();
  await eventually(() => server.visits.length === 2);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await failure).toMatchObject({ name: 'ConnectionError', code: 'timeout' });
});

test('a sign-in that fails is what connecting fails with', async () => {
  const { connect: go, states, world: made } = await scene();
  made.change({ [`GET ${AS}/.well-known/oauth-authorization-server`]: { status: 404 } });
  const error = await go().catch((one: unknown) => one);
  expect(error).toMatchObject({ name: 'AuthError', code: 'invalid_metadata', trace: expect.any(Array) });
  expect(states).toEqual(['failed']);
});

test('a sign-in that fails is what a call fails with, and the connection stays', async () => {
  const { connect: go, door, accepted, world: made } = await scene();
  const connecting = go();
  await eventually(() => door.pages.length > 0);
  door.comeBack();
  const mcp = await connecting;
  accepted.clear();
  made.change({ [TOKEN]: { status: 503 } });
  await expect(mcp.callTool('tool')).rejects.toMatchObject({ name: 'AuthError', isRetryable: true });
  expect(mcp.state).toBe('ready');
  accepted.add('access-1');
  expect(await mcp.callTool('tool')).toMatchObject({ content: [] });
});

test('closing while a person signs in ends everything', async () => {
  const { connect: go, door, accepted, server, world: made } = await scene();
  const connecting = go();
  await eventually(() => door.pages.length > 0);
  door.comeBack();
  const mcp = await connecting;
  accepted.clear();
  made.change({ [TOKEN]: { status: 400, json: { error: 'invalid_grant' } } });
  vi.setSystemTime(Date.now() + LATER);
  const failure = mcp.callTool('tool').catch((error: unknown) => error);
  await eventually(() => door.pages.length > 1);
  expect(mcp.state).toBe('needs-auth');
  await mcp.close();
  expect(mcp.state).toBe('closed');
  expect(await failure).toMatchObject({ name: 'ConnectionError', code: 'closed' });
  expect(door.signals[1]?.aborted).toBe(true);
  expect(made.kept('pending')).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  await vi.waitFor(async () => expect(await server.connections()).toBe(0));
});

test('what was listed before somebody signed in is asked for anew', async () => {
  const { connect: go, door, accepted, server, world: made } = await scene();
  const connecting = go();
  await eventually(() => door.pages.length > 0);
  door.comeBack();
  const mcp = await connecting;
  await mcp.listTools();
  await mcp.listTools();
  expect(server.to('tools/list')).toHaveLength(1);
  accepted.clear();
  accepted.add('access-2');
  made.change({
    [TOKEN]: (asked) =>
      asked.fields['refresh_token']
        ? { status: 400, json: { error: 'invalid_grant' } }
        : { json: { access_token: 'access-2', token_type: 'Bearer' } },
  });
  vi.setSystemTime(Date.now() + LATER);
  const calling = mcp.callTool('tool');
  await eventually(() => door.pages.length > 1);
  door.comeBack();
  await calling;
  await mcp.listTools();
  expect(server.to('tools/list')).toHaveLength(2);
});

test('the header fields of the connection go to the server, and to nobody else', async () => {
  const { connect: go, door, server, world: made } = await scene();
  const connecting = go({ headers: { 'x-api-key': 'key', cookie: 'a=b' } });
  await eventually(() => door.pages.length > 0);
  door.comeBack();
  await connecting;
  for (const { headers } of server.visits) expect(headers).toMatchObject({ 'x-api-key': 'key', cookie: 'a=b' });
  for (const { headers } of made.asked)
    expect(Object.keys(headers).filter((name) => !/^(accept|content-type)$/.test(name))).toEqual([]);
});

test('twenty calls that are refused at once are all answered, after one sign-in', async () => {
  const { connect: go, door, accepted, world: made } = await scene();
  const connecting = go();
  await eventually(() => door.pages.length > 0);
  door.comeBack();
  const mcp = await connecting;
  accepted.clear();
  accepted.add('access-2');
  const all = Array.from({ length: 20 }, () => mcp.callTool('tool'));
  expect(await Promise.all(all)).toHaveLength(20);
  expect(made.to(TOKEN).map(({ fields }) => fields['grant_type'])).toEqual(['authorization_code', 'refresh_token']);
});

test('two connections with one sign-in both become ready', async () => {
  const one = await scene();
  const both = [one.connect(), one.connect()];
  await eventually(() => one.server.visits.length === 2 && one.door.pages.length > 0);
  one.door.comeBack();
  const connections = await Promise.all(both);
  expect(connections.map(({ state }) => state)).toEqual(['ready', 'ready']);
  expect(one.door.pages).toHaveLength(1);
});

test('connecting that is given up while a person signs in ends everything', async () => {
  const { connect: go, door, world: made } = await scene();
  const caller = new AbortController();
  const failure = go({ signal: caller.signal }).catch((error: unknown) => error);
  await eventually(() => door.pages.length > 0);
  caller.abort(new Error('enough'));
  expect(await failure).toMatchObject({ name: 'ConnectionError', code: 'aborted' });
  expect(door.signals[0]?.aborted).toBe(true);
  await eventually(() => made.kept('pending').length === 0);
});

test('connecting that takes too long before a person is asked asks nobody afterwards', async () => {
  const { connect: go, door, server, world: made } = await scene();
  const answers: (() => void)[] = [];
  made.change({
    [`GET ${server.origin}/.well-known/oauth-protected-resource/mcp`]: () =>
      new Promise((resolve) => {
        answers.push(() => resolve({ json: resourceOf([AS], { resource: server.url }) }));
      }),
  });
  const failure = go({ connectTimeout: 1000 }).catch((error: unknown) => error);
  await eventually(() => answers.length > 0);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await failure).toMatchObject({ name: 'ConnectionError', code: 'timeout' });
  answers[0]?.();
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(door.pages).toEqual([]);
  expect(made.lines()).toHaveLength(1);
});

test('a stream that stands by itself asks nobody to sign in, and is tried on', async () => {
  let isOpen = false;
  const GET = (visit: Visit): void => (isOpen ? visit.event({ data: '' }) : visit.status(401));
  const { connect: go, door, server, world: made } = await scene(stateful(), { GET });
  const connecting = go();
  await eventually(() => door.pages.length > 0);
  made.change({
    [TOKEN]: (asked) =>
      asked.fields['refresh_token'] ? { status: 400, json: { error: 'invalid_grant' } } : tokens(1, asked),
  });
  door.comeBack();
  const mcp = await connecting;
  vi.setSystemTime(Date.now() + LATER);
  await eventually(() => made.to(TOKEN).length === 2);
  const before = server.to('GET').length;
  isOpen = true;
  await vi.waitFor(() => expect(server.to('GET').length).toBeGreaterThan(before), { interval: 1000, timeout: 60_000 });
  expect(door.pages).toHaveLength(1);
  expect(mcp.state).toBe('ready');
});

test('a connection that comes back is given up at once when it is not let in for good', async () => {
  let isLost = false;
  const call = (visit: Visit): void => (isLost ? visit.status(404) : visit.result({ content: [] }));
  const { connect: go, door, accepted, server, states, world: made } = await scene(stateful(), { 'tools/call': call });
  const connecting = go();
  await eventually(() => door.pages.length > 0);
  door.comeBack();
  const mcp = await connecting;
  const before = server.to('initialize').length;
  accepted.clear();
  isLost = true;
  made.change({ [TOKEN]: { status: 400, json: { error: 'invalid_grant' } } });
  const refusal = { name: 'AuthError', code: 'invalid_token', isRetryable: false };
  await expect(mcp.callTool('tool')).rejects.toMatchObject(refusal);
  expect(states.at(-1)).toBe('failed');
  await expect(mcp.callTool('tool')).rejects.toMatchObject(refusal);
  expect(door.pages).toHaveLength(1);
  // Once, and not as often as a server that crashed would be tried.
  expect(server.to('initialize')).toHaveLength(before + 1);
});
