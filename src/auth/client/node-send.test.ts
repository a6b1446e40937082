import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AuthError } from '../errors.ts';
import type { OAuthRequest, Send, SendLimits } from './exchange.ts';
import { send as nodeSend, type Resolve, reachOf, sendResolving } from './node-send.ts';
import { send as fetchSend, reachOf as reachByName, sendWith } from './send-fetch.ts';
import { MAX_BODY_BYTES, TIMEOUT_MS } from './send-rules.ts';

const { signal } = new AbortController();
const inside: SendLimits = { signal, reach: 'loopback' };
const outside: SendLimits = { signal, reach: 'public' };
const opened: { server: Server; sockets: Set<Socket> }[] = [];

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const { server, sockets } of opened.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function open(server: Server, host = '127.0.0.1', port = 0): Promise<{ url: URL; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  opened.push({ server, sockets });
  return { url: new URL(`http://${host}:${(server.address() as AddressInfo).port}/token?code=secret`), sockets };
}

const serve = (answer: RequestListener): ReturnType<typeof open> => open(createServer(answer));

/** A server that says these bytes to whoever connects, and then keeps silent. */
async function say(text: string): Promise<{ url: URL; sockets: Set<Socket>; heard: Promise<unknown> }> {
  const server = createTcp((socket) => socket.resume().write(text));
  const heard = new Promise((resolve) => server.on('connection', (socket) => socket.once('data', resolve)));
  return { ...(await open(server)), heard };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

const get = (url: URL): OAuthRequest => ({ method: 'GET', url, headers: { accept: 'application/json' } });

async function failure(promise: Promise<unknown>): Promise<AuthError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AuthError)) throw new Error(`That did not fail with an AuthError: ${String(error)}`);
  expect(`${error.message} ${error.stack}`).not.toContain('secret');
  return error;
}

describe.each<readonly [string, Send]>([
  ['node:http', nodeSend],
  ['fetch', fetchSend],
])('over %s', (_name, send) => {
  // A fetch has connections in stock, which are not ours to close.
  const closes = send === nodeSend;

  test('a request is sent as it is, and the answer read to its end', async () => {
    let seen: unknown;
    const { url } = await serve(async (request, response) => {
      seen = [request.method, request.url, request.headers['content-type'], await bodyOf(request)];
      response.writeHead(201, { 'Cache-Control': 'no-store', 'X-Twice': ['a', 'b'] }).end('{"ü":1}');
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await send({ method: 'POST', url, headers, body: 'a=ü' }, inside);
    expect(seen).toEqual(['POST', '/token?code=secret', 'application/x-www-form-urlencoded', 'a=ü']);
    expect([response.status, response.body]).toEqual([201, '{"ü":1}']);
    expect(['cache-control', 'x-twice', 'not-there', 'constructor'].map(response.header)).toEqual([
      'no-store',
      'a, b',
      undefined,
      undefined,
    ]);
  });

  test('a redirect is given back, not followed', async () => {
    const paths: (string | undefined)[] = [];
    const { url } = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    const response = await send({ method: 'POST', url, headers: {}, body: 'client_secret=x' }, inside);
    expect([response.status, response.header('location')]).toEqual([307, '/elsewhere']);
    expect(paths).toEqual(['/token?code=secret']);
  });

  test('of an answer without end no more than its limit is read', async () => {
    const { url } = await serve((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65536))) {}
      };
      response.on('drain', more);
      more();
    });
    const error = await failure(send(get(url), inside));
    expect([error.code, error.isRetryable]).toEqual(['too_large', false]);
    expect(error.message).toBe(`The answer of ${url.origin}/token is larger than ${MAX_BODY_BYTES} bytes`);
  });

  test.each([
    ['no answer at all', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"a"'],
  ])('%s is waited for until the time is over', async (_what, text) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { url, sockets, heard } = await say(text);
    const failed = failure(send(get(url), inside));
    await heard;
    vi.advanceTimersByTime(TIMEOUT_MS);
    const error = await failed;
    expect([error.code, error.isRetryable]).toEqual(['timeout', true]);
    expect(error.message).toBe(`${url.origin}/token did not answer within 10 seconds`);
    vi.useRealTimers();
    if (closes) await vi.waitFor(() => expect(sockets.size).toBe(0));
  });

  test('who gives up is told its own reason, and hangs up', async () => {
    const { url, sockets, heard } = await say('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"a"');
    const patience = new AbortController();
    const sent = send(get(url), { signal: patience.signal, reach: 'loopback' });
    await heard;
    const reason = new Error('enough');
    patience.abort(reason);
    await expect(sent).rejects.toBe(reason);
    if (closes) await vi.waitFor(() => expect(sockets.size).toBe(0));
    await expect(send(get(url), { signal: patience.signal, reach: 'loopback' })).rejects.toBe(reason);
  });

  test('who hangs up in the middle is unreachable', async () => {
    const { url } = await open(
      createTcp((socket) => socket.resume().end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"a"')),
    );
    const error = await failure(send(get(url), inside));
    expect([error.code, error.isRetryable]).toEqual(['unreachable', true]);
    expect(error.message).toContain(`Cannot reach ${url.origin}/token: it hung up before its answer was complete`);
  });

  test('where nothing listens, that is said', async () => {
    const { url } = await serve(() => {});
    const [{ server } = {}] = opened.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    const error = await failure(send(get(url), inside));
    expect(error.message).toBe(
      `Cannot reach ${url.origin}/token: nothing listens there: is it running, and is it this port? (ECONNREFUSED)`,
    );
  });

  test('what does not speak TLS is not asked without it', async () => {
    let hits = 0;
    const { url } = await serve(() => hits++);
    url.protocol = 'https:';
    expect((await failure(send(get(url), inside))).code).toBe('unreachable');
    expect(hits).toBe(0);
  });

  test('an address of a private network is refused before anything connects to it', async () => {
    const { url, sockets } = await serve(() => {});
    let connections = 0;
    opened[0]?.server.on('connection', () => connections++);
    for (const hostname of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      url.hostname = hostname;
      const error = await failure(send(get(url), outside));
      expect([error.code, error.isRetryable]).toEqual(['forbidden_address', false]);
      expect(error.message).toContain(`${url.origin}/token is in a private, loopback or link-local network`);
    }
    expect([connections, sockets.size]).toEqual([0, 0]);
  });

  test('no answer leaves a connection or a timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { url, sockets } = await serve((_request, response) => response.end('{}'));
    await send(get(url), inside);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    if (closes) await vi.waitFor(() => expect(sockets.size).toBe(0));
  });
});

describe('over node:http', () => {
  test('no header field is sent but those given and those that HTTP needs', async () => {
    let raw: string[] = [];
    const { url } = await serve((request, response) => {
      raw = request.rawHeaders;
      response.end();
    });
    url.username = 'user';
    url.password = 'password';
    await nodeSend({ method: 'POST', url, headers: { accept: 'application/json' }, body: 'ü' }, inside);
    const expected = ['accept', 'application/json', 'content-length', '2', 'Host', url.host, 'Connection', 'close'];
    expect(raw).toEqual(expected);
  });

  test('a name that stands for a private address, among others or alone, is refused', async () => {
    const { url } = await serve(() => {});
    let connections = 0;
    opened[0]?.server.on('connection', () => connections++);
    url.hostname = 'as.example';
    const public4 = { address: '93.184.215.14', family: 4 };
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fe80::1%eth0']) {
      const bad = { address, family: address.includes(':') ? 6 : 4 };
      for (const found of [[bad], [public4, bad]]) {
        const error = await failure(sendResolving(async () => found, get(url), outside));
        expect(error.code).toBe('forbidden_address');
      }
    }
    expect(connections).toBe(0);
  });

  test.each([
    '169.254.169.254',
    'fe80::1',
    '0.0.0.0',
    '::ffff:169.254.169.254',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    '64:ff9b::6464:64c8',
  ])('a name that is resolved to %s is refused, however far requests may go', async (address) => {
    const resolve: Resolve = async () => [{ address, family: address.includes(':') ? 6 : 4 }];
    const error = await failure(sendResolving(resolve, get(new URL('http://as.example/')), inside));
    expect(error.code).toBe('forbidden_address');
  });

  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])(
    'a name that is resolved to %s is refused if requests may go to private networks only',
    async (address) => {
      const resolve: Resolve = async () => [{ address, family: address.includes(':') ? 6 : 4 }];
      const sent = sendResolving(resolve, get(new URL('https://as.example/')), { signal, reach: 'private' });
      expect((await failure(sent)).code).toBe('forbidden_address');
    },
  );

  test('a name that answers every question differently is asked once: what was checked is what is connected to', async () => {
    const { url } = await serve((_request, response) => response.end('the checked one'));
    await open(
      createServer((_request, response) => response.end('another')),
      '127.0.0.2',
      Number(url.port),
    );
    url.hostname = 'rebinding.example';
    let questions = 0;
    const resolve: Resolve = async () => [{ address: `127.0.0.${++questions}`, family: 4 }];
    expect((await sendResolving(resolve, get(url), inside)).body).toBe('the checked one');
    expect(questions).toBe(1);
  });

  test('a name that nobody knows is said to be so', async () => {
    const unknown: Resolve = () => Promise.reject(Object.assign(new Error('secret'), { code: 'ENOTFOUND' }));
    for (const resolve of [unknown, async () => []]) {
      const error = await failure(sendResolving(resolve, get(new URL('https://as.example/token')), outside));
      expect(error.message).toBe(
        'Cannot reach https://as.example/token: there is no host of this name, or names cannot be looked up (ENOTFOUND)',
      );
    }
  });

  test('a name that is never looked up to its end is waited for until the time is over', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let failed: Promise<AuthError> | undefined;
    await new Promise<void>((asked) => {
      const never: Resolve = () => {
        asked();
        return new Promise(() => {});
      };
      failed = failure(sendResolving(never, get(new URL('http://as.example/')), outside));
    });
    vi.advanceTimersByTime(TIMEOUT_MS);
    expect((await failed)?.code).toBe('timeout');
  });

  test('a server that wants to speak something else is unreachable', async () => {
    const { url } = await say('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
    expect((await failure(nodeSend(get(url), inside))).code).toBe('unreachable');
    const { url: other } = await say('220 mail.example ESMTP\r\n');
    expect((await failure(nodeSend(get(other), inside))).message).toContain('something that is not HTTP');
  });

  test('a header field that cannot be sent is not shown', async () => {
    const { url } = await serve(() => {});
    const error = await failure(nodeSend({ ...get(url), headers: { authorization: 'secret\r\nx: y' } }, inside));
    expect(error.message).toContain('a header field of the request has characters that cannot be sent');
  });

  test('a server reaches as far as its address, or all addresses of its name', async () => {
    const resolving =
      (...addresses: string[]): Resolve =>
      async () =>
        addresses.map((address) => ({ address, family: 4 }));
    const name = new URL('https://mcp.example/mcp');
    expect(await reachOf(name, resolving('10.0.0.1', '192.168.0.1'))).toBe('private');
    expect(await reachOf(name, resolving('10.0.0.1', '127.0.0.1'))).toBe('private');
    expect(await reachOf(name, resolving('127.0.0.1', '::1'))).toBe('loopback');
    expect(await reachOf(name, resolving('169.254.169.254'))).toBe('private');
    expect(await reachOf(name, resolving('10.0.0.1', '93.184.215.14'))).toBe('public');
    expect(await reachOf(name, resolving())).toBe('public');
    expect(await reachOf(name, () => Promise.reject(new Error('unknown')))).toBe('public');
    const asked: Resolve = () => Promise.reject(new Error('This needs no looking up'));
    expect(await reachOf(new URL('http://127.0.0.1:3000/mcp'), asked)).toBe('loopback');
    expect(await reachOf(new URL('http://localhost:3000/mcp'), asked)).toBe('loopback');
    expect(await reachOf(new URL('http://[::1]/'), asked)).toBe('loopback');
    expect(await reachOf(new URL('http://10.0.0.1/'), asked)).toBe('private');
    expect(await reachOf(new URL('http://mcp.local/'), resolving('127.0.0.1'))).toBe('private');
    expect(await reachOf(new URL('https://93.184.215.14/'), asked)).toBe('public');
    expect(await reachOf(new URL('http://localhost:3000/mcp'))).toBe('loopback');
  });
});

describe('over a fetch of somebody’s own', () => {
  const url = new URL('https://as.example/token?code=secret');

  test('it is asked not to follow redirects, and nothing is believed if it did', async () => {
    const options: unknown[] = [];
    const answers = [
      { type: 'opaqueredirect', status: 0 },
      { redirected: true, status: 200 },
    ] as unknown as Response[];
    const send = sendWith(async (_input, init) => {
      options.push(init?.redirect);
      const answer = answers[options.length - 1];
      return { headers: new Headers(), body: null, ...answer } as Response;
    });
    for (const _answer of answers) {
      const error = await failure(send(get(url), outside));
      expect([error.code, error.message]).toEqual([
        'redirected',
        'https://as.example/token redirects to another URL, which is not followed',
      ]);
    }
    expect(options).toEqual(['manual', 'manual']);
  });

  test('it is not called for a private address', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>();
    expect((await failure(sendWith(fetch)(get(new URL('http://[::1]/')), outside))).code).toBe('forbidden_address');
    expect(fetch).not.toHaveBeenCalled();
  });

  test('one that does not heed its signal is left alone when the time is over, and its answer thrown away', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const cancelled = vi.fn();
    let answer: (response: Response) => void = () => {};
    const send = sendWith(() => new Promise((resolve) => (answer = resolve)));
    const failed = failure(send(get(url), outside));
    vi.advanceTimersByTime(TIMEOUT_MS);
    expect((await failed).code).toBe('timeout');
    answer(new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(10)), cancel: cancelled })));
    vi.useRealTimers();
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalled());
  });

  test('an answer without a body is an empty one', async () => {
    const send = sendWith(async () => new Response(null, { status: 204 }));
    expect(await send(get(url), outside)).toMatchObject({ status: 204, body: '' });
  });

  test('how far a server reaches is told by its address or name alone', async () => {
    const found = ['http://localhost/', 'http://10.0.0.1/', 'https://mcp.example/'].map((one) => new URL(one));
    expect(await Promise.all(found.map(reachByName))).toEqual(['loopback', 'private', 'public']);
  });
});
