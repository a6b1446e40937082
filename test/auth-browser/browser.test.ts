/** The browser of the machine: how its program is started, and how somebody comes back from it. */

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { BrowserVisit, SystemBrowserOptions } from '../../src/auth/client/browser.ts';
import { openBrowser as noBrowser, systemBrowser as noSystemBrowser } from '../../src/auth/client/no-browser.ts';
import { type Launch, openBrowser, systemBrowser } from '../../src/auth/client/node-browser.ts';
import { loopback } from '../../src/auth/client/node-loopback.ts';
import { AuthError } from '../../src/auth/errors.ts';

const { signal } = new AbortController();
const page = new URL('https://as.example/authorize?client_id=x&state=s');
const ending: (() => unknown)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const end of ending.splice(0)) await end();
});

interface Started {
  readonly argv: readonly string[];
  readonly options: SpawnOptions;
}

/** A system that starts nothing and remembers what it should have started; `ends` is what becomes of the program. */
function system(
  ends: (child: EventEmitter) => void = (child) => child.emit('exit', 0),
  platform: NodeJS.Platform = 'linux',
  env: Launch['env'] = { DISPLAY: ':0' },
): Launch & { readonly started: Started[] } {
  const started: Started[] = [];
  return {
    started,
    platform,
    env,
    spawn(program, args, options) {
      started.push({ argv: [program, ...args], options });
      const child = Object.assign(new EventEmitter(), { unref: () => {} });
      setImmediate(() => ends(child));
      return child as unknown as ChildProcess;
    },
  };
}

/** What a browser does: it goes where the page sends it. */
function goBack(redirectUri: string, query: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(`${redirectUri}?${query}`, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', reject);
  });
}

describe('opening a page', () => {
  const EVIL = [
    'https://as.example/$(calc)?x=$(calc)',
    'https://as.example/`calc`?x=`calc`#`calc`',
    'https://as.example/?a=1&calc.exe&b=|calc;calc',
    'https://as.example/?x="&calc&"\'&calc&\'',
    'https://as.example/?x=a\n--help\r\ncalc',
    'https://as.example/?x=%0acalc%0d%22',
    'https://as.example/a b?c d=e f',
    'https://as.example/?x=^&calc%PATH%!PATH!',
    'https://as.example/\\..\\calc.exe?\\',
    'https://-as.example/?--new-window',
    'http://$(calc)@localhost:3000/',
  ];

  test.each(EVIL)('%j is one argument, whatever is in it', async (text) => {
    const url = new URL(text);
    const { href } = url;
    expect(href).not.toMatch(/[\s"]/);
    const linux = system();
    const mac = system(undefined, 'darwin', {});
    const windows = system(undefined, 'win32', { SystemRoot: 'D:\\Windows' });
    for (const one of [linux, mac, windows]) expect(await openBrowser(url, one)).toBe(true);
    expect(linux.started[0]?.argv).toEqual(['xdg-open', href]);
    expect(mac.started[0]?.argv).toEqual(['/usr/bin/open', href]);
    expect(windows.started[0]?.argv).toEqual([
      'D:\\Windows\\System32\\rundll32.exe',
      'url.dll,FileProtocolHandler',
      href,
    ]);
    for (const { started } of [linux, mac, windows]) {
      expect(started).toHaveLength(1);
      expect(started[0]?.options).toEqual({ detached: true, stdio: 'ignore', shell: false });
    }
  });

  test.each(
    [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'data:text/html,x',
      'vbscript:x',
      'ms-settings:',
      'ftp://as.example/',
      '-x:y',
    ].filter((text) => URL.canParse(text)),
  )('%s is not opened', async (text) => {
    const launch = system();
    const opened = openBrowser(new URL(text), launch);
    await expect(opened).rejects.toThrow(AuthError);
    await expect(opened).rejects.toMatchObject({ code: 'invalid_authorization_url' });
    expect(launch.started).toEqual([]);
  });

  test('a program that is not there, or fails, has opened nothing', async () => {
    const missing = Object.assign(new Error('spawn xdg-open ENOENT'), { code: 'ENOENT' });
    const ends = [
      ['error', missing],
      ['exit', 3],
      ['exit', null, 'SIGSEGV'],
    ] as const;
    for (const [event, ...details] of ends) {
      const failing = system((child) => child.emit(event, ...details));
      expect(await openBrowser(page, failing)).toBe(false);
      expect(failing.started).toHaveLength(1);
    }
    const throwing = {
      ...system(),
      spawn: () => {
        throw new Error('EAGAIN');
      },
    };
    expect(await openBrowser(page, throwing)).toBe(false);
  });

  test('a program that goes on is a browser', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const opened = openBrowser(
      page,
      system(() => vi.advanceTimersByTime(1000)),
    );
    expect(await opened).toBe(true);
  });

  test('without a screen nothing is started', async () => {
    const headless = system(undefined, 'linux', {});
    expect(await openBrowser(page, headless)).toBe(false);
    expect(headless.started).toEqual([]);
    expect(await openBrowser(page, system(undefined, 'linux', { BROWSER: 'firefox' }))).toBe(true);
  });

  test('a real program gets each of them as its one argument, to the letter', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpp-browser-'));
    ending.push(() => rmSync(folder, { recursive: true }));
    const told = join(folder, 'told');
    writeFileSync(join(folder, 'xdg-open'), '#!/bin/sh\nprintf "%s %s" "$#" "$1" > "$TOLD"\n', { mode: 0o700 });
    const env = { PATH: `${folder}:${process.env['PATH']}`, TOLD: told };
    const launch: Launch = {
      ...system(),
      spawn: (program, args, options) => spawn(program, args, { ...options, env }),
    };
    for (const text of EVIL) {
      const url = new URL(text);
      expect(await openBrowser(url, launch)).toBe(true);
      await vi.waitFor(() => expect(readFileSync(told, 'utf8')).toBe(`1 ${url.href}`));
    }
  });

  test('a real program that does not exist is no failure', async () => {
    let child: ChildProcess | undefined;
    const launch: Launch = {
      ...system(),
      spawn(_program, args, options) {
        child = spawn('mcpp-no-such-program', args, options);
        return child;
      },
    };
    expect(await openBrowser(page, launch)).toBe(false);
    expect(child?.spawnargs).toEqual(['mcpp-no-such-program', page.href]);
  });
});

describe('a visit', () => {
  async function begin(options: SystemBrowserOptions, preferred?: string): Promise<BrowserVisit> {
    const visit = await systemBrowser(options).begin(preferred);
    ending.push(() => visit.close());
    return visit;
  }

  test('takes a person to the page and resolves with the URL they come back to', async () => {
    const onUrl = vi.fn();
    const pages: URL[] = [];
    const open = async (url: URL): Promise<boolean> => {
      pages.push(url);
      await goBack(visit.redirectUri, 'code=x&state=s');
      return true;
    };
    const visit = await begin({ open, onUrl });
    const back = await visit.authorize(page, 's', signal);
    expect(back.href).toBe(`${visit.redirectUri}?code=x&state=s`);
    expect(pages).toEqual([page]);
    expect(onUrl).not.toHaveBeenCalled();
  });

  test.each<readonly [string, () => Promise<boolean>]>([
    ['no browser', async () => false],
    ['one that fails', () => Promise.reject(new Error('failed'))],
    [
      'one that throws',
      () => {
        throw new Error('failed');
      },
    ],
  ])('with %s goes on: the page is told, and the person waited for', async (_what, open) => {
    const onUrl = (url: URL): void => {
      void goBack(visit.redirectUri, `code=${url.hostname}&state=s`);
    };
    const visit = await begin({ open, onUrl });
    expect((await visit.authorize(page, 's', signal)).searchParams.get('code')).toBe('as.example');
  });

  test('tells the page on stderr, if nobody else wants to know', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockImplementation(() => {
      void goBack(visit.redirectUri, 'state=s');
      return true;
    });
    const visit = await begin({ open: async () => false });
    await visit.authorize(page, 's', signal);
    expect(write.mock.calls).toEqual([[`Open this page to sign in: ${page.href}\n`]]);
  });

  test('does not wait for a program that opens the page and does not return', async () => {
    const open = (): Promise<boolean> => {
      void goBack(visit.redirectUri, 'state=s');
      return new Promise(() => {});
    };
    const visit = await begin({ open });
    expect((await visit.authorize(page, 's', signal)).search).toBe('?state=s');
  });

  test('does not tell a page that nobody needs any more', async () => {
    const onUrl = vi.fn();
    let fail: () => void = () => {};
    const open = (): Promise<boolean> => {
      void goBack(visit.redirectUri, 'state=s');
      return new Promise((resolve) => {
        fail = () => resolve(false);
      });
    };
    const visit = await begin({ open, onUrl });
    await visit.authorize(page, 's', signal);
    fail();
    await new Promise(setImmediate);
    expect(onUrl).not.toHaveBeenCalled();
  });

  test('fails if nobody can be told the page', async () => {
    const visit = await begin({
      open: async () => false,
      onUrl: () => {
        throw new Error('no terminal');
      },
    });
    await expect(visit.authorize(page, 's', signal)).rejects.toThrow('no terminal');
  });

  test('takes nobody to what is no web page, with whatever it would be opened', async () => {
    const open = vi.fn(async () => true);
    const visit = await begin({ open });
    await expect(visit.authorize(new URL('javascript:alert(1)'), 's', signal)).rejects.toThrow(AuthError);
    expect(open).not.toHaveBeenCalled();
  });

  test('is given up by its signal, and ended by close()', async () => {
    const patience = new AbortController();
    const visit = await begin({ open: async () => true });
    const waiting = visit.authorize(page, 's', patience.signal);
    patience.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    const other = await begin({ open: async () => true });
    const closing = expect(other.authorize(page, 's', signal)).rejects.toMatchObject({ code: 'callback_over' });
    await other.close();
    await closing;
  });

  test('comes back to where it was registered earlier, if that port is free', async () => {
    const earlier = await begin({});
    const { redirectUri } = earlier;
    const another = await begin({}, redirectUri);
    expect(another.redirectUri).not.toBe(redirectUri);
    await earlier.close();
    expect((await begin({}, redirectUri)).redirectUri).toBe(redirectUri);
  });

  test('comes back elsewhere than to what is not of this machine', async () => {
    const visit = await begin({}, 'https://app.example/callback');
    expect(visit.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  });

  test('comes back to the redirect URI that was set, and nowhere else', async () => {
    const taken = await loopback();
    ending.push(() => taken.close());
    await expect(begin({ redirectUri: taken.redirectUri })).rejects.toMatchObject({ code: 'redirect_port_taken' });
    const visit = await begin({ redirectUri: 'http://localhost/back' }, 'http://127.0.0.1:1/callback');
    expect(visit.redirectUri).toMatch(/^http:\/\/localhost:\d+\/back$/);
    await visit.close();
    const again = await begin({ redirectUri: 'http://localhost/back' }, visit.redirectUri);
    expect(again.redirectUri).toBe(visit.redirectUri);
  });
});

test('where no browser can be opened, it is said what to pass instead', async () => {
  expect(() => noSystemBrowser()).toThrow(/pass `authorize`, .* and `redirectUri`/);
  await expect(noBrowser(page)).rejects.toMatchObject({ code: 'browser_unavailable' });
});
