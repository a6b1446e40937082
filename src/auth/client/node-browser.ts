/** System browser on Node: started without a shell; the callback is received on a loopback port. */

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { AuthError } from '../errors.ts';
import type { Browser, BrowserVisit, SystemBrowserOptions } from './browser.ts';
import { loopback, type Receiver } from './node-loopback.ts';

/** Parts of the process that start the browser. Tests replace them. */
export interface Launch {
  readonly spawn: (program: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Time in milliseconds after which a browser command that has not failed counts as successful. */
const FAILS_WITHIN_MS = 1000;
/** Time in milliseconds after which `onUrl` gets the URL if no callback has arrived. */
const TOLD_AFTER_MS = 15_000;

const SYSTEM: Launch = {
  spawn: (program, args, options) => spawn(program, args, options),
  platform: process.platform,
  env: process.env,
};

/** Opens an http(s) page in the system browser. Resolves to false if that fails; a later failure calls `onFailed`. */
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
    // Without a shell, and because the URL begins with `http`, the URL is one argument and not an option.
    const child = launch.spawn(program, [...args, url.href], { detached: true, stdio: 'ignore', shell: false });
    return await hasStarted(child, onFailed);
  } catch {
    return false;
  }
}

/** Creates a `Browser` that opens pages in the system browser and receives callbacks on a loopback port. */
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
        // Not awaited: the callback can arrive before the browser command exits.
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

// Prefers the redirect URI that is already registered, as long as its port is free.
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
    // Absolute path: otherwise a program with this name in the current directory would be run.
    return [`${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\rundll32.exe`, 'url.dll,FileProtocolHandler'];
  }
  // Without a graphical display, `xdg-open` would start a text browser that the user does not see.
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
