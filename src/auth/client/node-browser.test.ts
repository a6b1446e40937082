/** A person is told the page to open whenever there may be no browser that shows it, and once only. */

import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { get } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BrowserVisit } from './browser.ts';
import { type Launch, openBrowser, systemBrowser } from './node-browser.ts';

const { signal } = new AbortController();
const page = new URL('https://as.example/authorize?state=s');
const visits: BrowserVisit[] = [];

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(async () => {
  for (const visit of visits.splice(0)) await visit.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** A visit with a browser whose program goes on until the test ends it. */
async function begin(onUrl: (url: URL) => void) {
  const program = Object.assign(new EventEmitter(), { unref: () => {} });
  const launch: Launch = {
    spawn: () => program as unknown as ChildProcess,
    platform: 'linux',
    env: { DISPLAY: ':0' },
  };
  const open = (url: URL, onFailed: () => void): Promise<boolean> => openBrowser(url, launch, onFailed);
  const visit = await systemBrowser({ open, onUrl }).begin(undefined);
  visits.push(visit);
  return { program, visit };
}

function goBack(redirectUri: string): void {
  get(`${redirectUri}?state=s`, { agent: false }, (response) => response.resume());
}

test('a browser that fails after it was taken for open is none', async () => {
  const onUrl = vi.fn((_url: URL) => goBack(visit.redirectUri));
  const { program, visit } = await begin(onUrl);
  const back = visit.authorize(page, 's', signal);
  await vi.advanceTimersByTimeAsync(1000);
  expect(onUrl).not.toHaveBeenCalled();
  program.emit('exit', 3);
  expect((await back).search).toBe('?state=s');
  expect(onUrl.mock.calls).toEqual([[page]]);
});

test('a browser that ends well later is not complained about', async () => {
  const onUrl = vi.fn();
  const { program, visit } = await begin(onUrl);
  const back = visit.authorize(page, 's', signal);
  await vi.advanceTimersByTimeAsync(1000);
  program.emit('exit', 0);
  goBack(visit.redirectUri);
  await back;
  expect(onUrl).not.toHaveBeenCalled();
});

test('when nobody came back for 15 seconds the page is told, and not a second time when the browser fails', async () => {
  const onUrl = vi.fn();
  const { program, visit } = await begin(onUrl);
  const back = visit.authorize(page, 's', signal);
  await vi.advanceTimersByTimeAsync(14_999);
  expect(onUrl).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onUrl.mock.calls).toEqual([[page]]);
  program.emit('exit', 1);
  goBack(visit.redirectUri);
  await back;
  expect(onUrl).toHaveBeenCalledTimes(1);
});

test('nothing is told after the visit, and no timer is left of it', async () => {
  const onUrl = vi.fn();
  const { program, visit } = await begin(onUrl);
  const back = visit.authorize(page, 's', signal);
  await vi.advanceTimersByTimeAsync(1000);
  goBack(visit.redirectUri);
  await back;
  expect(vi.getTimerCount()).toBe(0);
  program.emit('exit', 1);
  expect(onUrl).not.toHaveBeenCalled();
});

test('a visit that is given up leaves no timer', async () => {
  const patience = new AbortController();
  const { program, visit } = await begin(vi.fn());
  const back = visit.authorize(page, 's', patience.signal);
  await vi.advanceTimersByTimeAsync(1000);
  patience.abort('enough');
  await expect(back).rejects.toBe('enough');
  expect(vi.getTimerCount()).toBe(0);
  program.emit('exit', 0);
});

test('whoever cannot be told the page, however late, ends the visit', async () => {
  const { visit } = await begin(() => {
    throw new Error('no terminal');
  });
  const back = expect(visit.authorize(page, 's', signal)).rejects.toThrow('no terminal');
  await vi.advanceTimersByTimeAsync(15_000);
  await back;
});
