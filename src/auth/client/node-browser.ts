/** The browser of this machine: opened without a shell, its way back received on a port of this machine. */

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { AuthError } from '../errors.ts';
import type { Browser, BrowserVisit, SystemBrowserOptions } from './browser.ts';
import { loopback, type Receiver } from './node-loopback.ts';

/** What programs are started with and on: the process's own, except in tests. */
export interface Launch {
  readonly spawn: (program: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A program that has not failed for so many milliseconds has opened the page, as far as one can tell by then. */
const FAILS_WITHIN_MS = 1000;
/** After so many milliseconds without anybody coming back the page may not be where they look. */
const TOLD_AFTER_MS = 15_000;

const SYSTEM: Launch = {
  spawn: (program, args, options) => spawn(program, args, options),
  platform: process.platform,
  env: process.env,
};

/**
 * Opens a web page in the browser of this machine; false if there is none, and `onFailed` if that turns out later. Rejects
 * for what is not http or https.
 */
export async function openBrowser(
  url: URL,
  launch: Launch = SYSTEM,
  onFailed: () => void = () => {},
): Promise<boolean> {
  checkPage(url);
  const command = commandFor(launch);
  if (!command) return false;
  const [program, ...args] = command;
  try {
    // No shell reads it, and it begins with http: it is one argument, and no option.
    const child = launch.spawn(program, [...args, url.href], { detached: true, stdio: 'ignore', shell: false });
    return await hasStarted(child, onFailed);
  } catch {
    return false;
  }
}

/**
 * People sign in with the browser of this machine and are sent back to a port of it. If no browser can be opened, or
 * nobody comes back for a while, `onUrl` is told the page.
 */
export function systemBrowser(options: SystemBrowserOptions = {}): Browser {
  return {
    async begin(preferred) {
      const receiver = await receiverFor(options.redirectUri, preferred);
      return visit(receiver, options.open ?? openHere, options.onUrl ?? tellOnStderr);
    },
  };
}

type Open = NonNullable<SystemBrowserOptions['open']>;

const openHere: Open = (url, onFailed) => openBrowser(url, SYSTEM, onFailed);

function visit(receiver: Receiver, open: Open, onUrl: (url: URL) => void): BrowserVisit {
  return {
    redirectUri: receiver.redirectUri,
    async authorize(url, state, signal) {
      checkPage(url);
      const callback = receiver.wait(state, signal);
      let isDone = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const untold = new Promise<never>((_resolve, reject) => {
        const tell = (): void => {
          if (isDone) return;
          isDone = true;
          try {
            onUrl(url);
          } catch (error) {
            reject(error);
          }
        };
        timer = setTimeout(tell, TOLD_AFTER_MS);
        // Not waited for: a browser may be quicker than the program that opened it.
        void tryOpen(open, url, tell).then((isOpen) => isOpen || tell());
      });
      try {
        return await Promise.race([callback, untold]);
      } finally {
        isDone = true;
        clearTimeout(timer);
      }
    },
    close: () => receiver.close(),
  };
}

async function tryOpen(open: Open, url: URL, onFailed: () => void): Promise<boolean> {
  try {
    return await open(url, onFailed);
  } catch {
    return false;
  }
}

// A redirect URI that was registered once is good for as long as its port is free.
async function receiverFor(fixed: string | undefined, preferred: string | undefined): Promise<Receiver> {
  if (preferred !== undefined && isSuitable(preferred, fixed)) {
    try {
      return await loopback({ redirectUri: preferred });
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
    }
  }
  return loopback({ redirectUri: fixed });
}

function isSuitable(preferred: string, fixed: string | undefined): boolean {
  if (fixed === undefined || !URL.canParse(fixed) || !URL.canParse(preferred)) return fixed === undefined;
  const [wanted, offered] = [new URL(fixed), new URL(preferred)];
  if (wanted.port !== '') return false;
  return (
    wanted.hostname === offered.hostname && wanted.pathname === offered.pathname && wanted.search === offered.search
  );
}

function checkPage({ protocol }: URL): void {
  if (protocol === 'https:' || protocol === 'http:') return;
  const text = `The authorization server wants a browser to open a ${protocol} URL: only https: and http: are opened`;
  throw new AuthError('invalid_authorization_url', text);
}

function commandFor({ platform, env }: Launch): readonly [program: string, ...args: string[]] | undefined {
  if (platform === 'darwin') return ['/usr/bin/open'];
  if (platform === 'win32') {
    // With its whole path: a program of that name in the current folder would come first.
    return [`${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\rundll32.exe`, 'url.dll,FileProtocolHandler'];
  }
  // Without any of these it would start a browser for terminals, which nobody sees.
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['BROWSER'] ? ['xdg-open'] : undefined;
}

function hasStarted(child: ChildProcess, onFailed: () => void): Promise<boolean> {
  return new Promise((resolve) => {
    let isTakenForOpen = false;
    const timer = setTimeout(() => {
      isTakenForOpen = true;
      resolve(true);
    }, FAILS_WITHIN_MS);
    const end = (isOpen: boolean): void => {
      clearTimeout(timer);
      if (isTakenForOpen && !isOpen) onFailed();
      resolve(isOpen);
    };
    child.once('exit', (code) => end(code === 0));
    child.on('error', () => end(false));
    child.unref();
  });
}

function tellOnStderr(url: URL): void {
  process.stderr.write(`Open this page to sign in: ${url.href}\n`);
}
