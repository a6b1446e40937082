import { expect, test } from 'vitest';
import { asking, jsonObjectIn, stepOf } from './ask.ts';

const { signal } = new AbortController();
const url = 'https://auth.example.com/x';

test('an answer is read to its end', async () => {
  const ask = asking(
    async () => new Response('{"a":1}', { headers: { 'content-type': 'Application/JSON; charset=utf-8' } }),
  );
  expect(await ask(url, { signal })).toEqual({ status: 200, contentType: 'application/json', body: '{"a":1}' });
});

test('no redirect is followed', async () => {
  let redirect: unknown;
  const ask = asking(async (_url, init) => {
    redirect = init?.redirect;
    return new Response('', { status: 307, headers: { location: 'https://evil.example' } });
  });
  expect(jsonObjectIn(await ask(url, { signal }))).toBe('redirects are not followed');
  expect(redirect).toBe('manual');
});

test('an answer without an end is given up after 1 MiB, and its stream is closed', async () => {
  let isCancelled = false;
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 64 * 1024;
      controller.enqueue(new Uint8Array(64 * 1024));
    },
    cancel() {
      isCancelled = true;
    },
  });
  const ask = asking(async () => new Response(endless));
  expect(await ask(url, { signal })).toBe('the answer has more than 1048576 bytes');
  expect(isCancelled).toBe(true);
  expect(sent).toBeLessThan(2 * 1024 * 1024);
});

test('who does not answer in time, or stops in the middle, is given up', async () => {
  const silent = asking(
    (_url, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      }),
  );
  const abort = new AbortController();
  const answer = silent(url, { signal: abort.signal });
  abort.abort();
  expect(await answer).toBe('no answer came in time');
});

test('who cannot be reached: what the runtime calls it, and no more', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:443'), { code: 'ECONNREFUSED' });
  const ask = asking(() => Promise.reject(new TypeError('fetch failed', { cause })));
  expect(await ask(url, { signal })).toBe('it cannot be reached (ECONNREFUSED)');
  expect(await asking(() => Promise.reject(undefined))(url, { signal })).toBe('it cannot be reached');
});

test('what was tried is told without a query', () => {
  expect(stepOf('keys', 'https://a.example/k?secret=1', 'no answer came in time', 'x')).toEqual({
    what: 'keys',
    url: 'https://a.example/k',
    outcome: 'x',
  });
});
