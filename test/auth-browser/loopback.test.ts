/** What comes to the port that waits for somebody to be sent back: the right request, and everything else. */

import { type ClientRequest, get as httpGet, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { DONE_PAGE, FAILED_PAGE } from '../../src/auth/client/callback-page.ts';
import { loopback, type Receiver } from '../../src/auth/client/node-loopback.ts';
import { AuthError } from '../../src/auth/errors.ts';

const { signal } = new AbortController();
const ending: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function listen(redirectUri?: string): Promise<Receiver> {
  const receiver = await loopback({ redirectUri });
  ending.push(() => receiver.close());
  return receiver;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly page: string;
}

function answerOf(request: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      let page = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        page += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, page }));
    });
    request.end();
  });
}

const visit = (uri: string, query: string): Promise<Answer> => answerOf(httpGet(`${uri}?${query}`, { agent: false }));

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (reason) => reason,
  );
}

/** A port that somebody else has. */
async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending.push(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

test('who brings the state ends the waiting, once, with the URL as it was', async () => {
  const receiver = await listen();
  expect(receiver.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const waiting = receiver.wait('the-state', signal);
  const done = await visit(receiver.redirectUri, 'code=c%2B1&state=the-state&iss=https%3A%2F%2Fas.example');
  expect([done.status, done.page]).toEqual([200, DONE_PAGE]);
  expect((await waiting).href).toBe(`${receiver.redirectUri}?code=c%2B1&state=the-state&iss=https%3A%2F%2Fas.example`);
  const again = await visit(receiver.redirectUri, 'code=other&state=the-state');
  expect([again.status, again.page]).toEqual([410, FAILED_PAGE]);
  expect(await failure(receiver.wait('the-state', signal))).toMatchObject({ code: 'callback_over' });
});

test('an error is an answer too, and nothing of it is shown', async () => {
  const receiver = await listen();
  const waiting = receiver.wait('s', signal);
  const query = 'error=access_denied&error_description=%3Cscript%3Ealert(1)%3C%2Fscript%3E&state=s';
  const { status, page } = await visit(receiver.redirectUri, query);
  expect([status, page]).toEqual([400, FAILED_PAGE]);
  expect((await waiting).searchParams.get('error')).toBe('access_denied');
});

test('who does not know the state neither ends the waiting nor answers it', async () => {
  const receiver = await listen();
  expect((await visit(receiver.redirectUri, 'code=early&state=')).status).toBe(400);
  const waiting = receiver.wait('the-state', signal);
  for (const query of ['', 'code=x', 'code=x&state=', 'code=x&state=The-state', 'error=x', 'state=the-state&state=x']) {
    const { status, page } = await visit(receiver.redirectUri, query);
    expect([status, page]).toEqual([400, FAILED_PAGE]);
  }
  await visit(receiver.redirectUri, 'code=right&state=the-state');
  expect((await waiting).searchParams.get('code')).toBe('right');
});

test('another path, method or host is refused and changes nothing', async () => {
  const receiver = await listen();
  const waiting = receiver.wait('s', signal);
  const { origin, port } = new URL(receiver.redirectUri);
  const send = (options: object, path = '/callback?code=x&state=s'): Promise<Answer> =>
    answerOf(httpRequest({ host: '127.0.0.1', port, path, agent: false, ...options }));
  const paths = [
    '/',
    '/callback/?state=s',
    '/favicon.ico',
    '//callback?state=s',
    '//evil/callback',
    `${origin}/callback?state=s`,
  ];
  for (const path of paths) expect((await send({}, path)).status).toBe(404);
  for (const method of ['POST', 'HEAD', 'PUT', 'OPTIONS']) {
    const { status, headers } = await send({ method });
    expect([status, headers.allow]).toEqual([405, 'GET']);
  }
  for (const host of [`localhost:${port}`, `evil.example:${port}`, '127.0.0.1', 'evil.example']) {
    expect((await send({ headers: { host } })).status).toBe(403);
  }
  await visit(receiver.redirectUri, 'code=right&state=s');
  expect((await waiting).searchParams.get('code')).toBe('right');
});

test('a page loads nothing, is kept by nobody and passes its address on to nobody', async () => {
  const receiver = await listen();
  const waiting = receiver.wait('s', signal);
  for (const query of ['state=wrong', 'state=s', 'state=late']) {
    const { headers, page } = await visit(receiver.redirectUri, query);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'/),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    });
    expect(page).not.toMatch(/<script|<style|src=|href=|\son\w+=/);
  }
  await waiting;
});

describe('the address', () => {
  test.each(['http://127.0.0.1/callback', 'http://localhost/oauth/back', 'http://[::1]/callback'])(
    '%s gets a port of its own',
    async (redirectUri) => {
      const receiver = await listen(redirectUri);
      const url = new URL(receiver.redirectUri);
      expect(url.port).not.toBe('');
      url.port = '';
      expect(url.href).toBe(redirectUri);
      const waiting = receiver.wait('s', signal);
      expect((await visit(receiver.redirectUri, 'state=s')).status).toBe(200);
      await waiting;
    },
  );

  test('localhost is listened to in both of the ways a browser may understand it', async () => {
    const receiver = await listen('http://localhost/callback');
    const { port, host } = new URL(receiver.redirectUri);
    for (const address of ['127.0.0.1', '::1']) {
      const options = { host: address, port, path: '/callback', headers: { host }, agent: false };
      expect((await answerOf(httpRequest(options))).status).toBe(400);
    }
  });

  test('with a port it is kept to the letter', async () => {
    const free = await listen();
    const { port } = new URL(free.redirectUri);
    await free.close();
    const receiver = await listen(`http://localhost:${port}`);
    expect(receiver.redirectUri).toBe(`http://localhost:${port}`);
    const waiting = receiver.wait('s', signal);
    expect((await visit(`http://localhost:${port}/`, 'state=s')).status).toBe(200);
    await waiting;
  });

  test('whose port somebody else has is told by a code of its own', async () => {
    const port = await takenPort();
    for (const host of ['127.0.0.1', 'localhost']) {
      const error = await failure(loopback({ redirectUri: `http://${host}:${port}/callback` }));
      expect(error).toBeInstanceOf(AuthError);
      expect(error).toMatchObject({
        code: 'redirect_port_taken',
        message: `Port ${port} of the redirect URI is used by another process`,
      });
    }
  });

  test.each([
    'https://127.0.0.1/callback',
    'http://192.168.0.1/callback',
    'http://0.0.0.0/callback',
    'http://app.example/callback',
    'http://localhost.example/callback',
    'http://localhost/#x',
    'http://user@localhost/',
    'app:/callback',
    'nonsense',
  ])('%s is not one of this machine', async (redirectUri) => {
    expect(await failure(loopback({ redirectUri }))).toMatchObject({ code: 'invalid_redirect_uri' });
  });
});

describe('the end', () => {
  test('who gives up is told its own reason, and whoever comes then comes too late', async () => {
    const receiver = await listen();
    const patience = new AbortController();
    const waiting = receiver.wait('s', patience.signal);
    const reason = new Error('enough');
    patience.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect((await visit(receiver.redirectUri, 'state=s')).status).toBe(410);
    await expect((await listen()).wait('s', patience.signal)).rejects.toBe(reason);
  });

  test('close() ends the waiting and everything that is connected, whatever it is doing', async () => {
    const receiver = await listen();
    const waiting = failure(receiver.wait('s', signal));
    const port = Number(new URL(receiver.redirectUri).port);
    // One that says nothing, as browsers have them in stock, and one in the middle of a request.
    const ends = await Promise.all(
      ['', 'GET /callback?state=s HTTP/1.1\r\nHost:'].map(async (text) => {
        const socket: Socket = connect(port, '127.0.0.1').on('error', () => {});
        await new Promise<void>((resolve) => socket.once('connect', resolve));
        const ended = new Promise((resolve) => socket.once('close', resolve));
        if (text !== '') await new Promise<void>((resolve) => socket.write(text, () => resolve()));
        return { ended };
      }),
    );
    await receiver.close();
    await Promise.all(ends.map(({ ended }) => ended));
    expect(await waiting).toMatchObject({ code: 'callback_over' });
    expect(await failure(visit(receiver.redirectUri, 'state=s'))).toMatchObject({ code: 'ECONNREFUSED' });
    await receiver.close();
  });

  test('whoever is sent back sees the page, even if everything is closed at once afterwards', async () => {
    const receiver = await listen();
    const closed = receiver.wait('s', signal).then(() => receiver.close());
    expect((await visit(receiver.redirectUri, 'state=s')).page).toBe(DONE_PAGE);
    await closed;
  });

  test('a signal that goes on is not held on to', async () => {
    const own = new AbortController();
    const removed = vi.spyOn(own.signal, 'removeEventListener');
    const receiver = await listen();
    const waiting = receiver.wait('s', own.signal);
    await visit(receiver.redirectUri, 'state=s');
    await waiting;
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
  });
});

test('a receiver that is printed does not show what it waits for', async () => {
  const receiver = await listen();
  const waiting = failure(receiver.wait('secret-state', signal));
  expect(inspect(receiver, { depth: 9, showHidden: true })).not.toContain('secret-state');
  await receiver.close();
  await waiting;
});
