/** Runs recipes: whatever port they ask for, they get a free one of this machine. */

import { Server as NetServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { vi } from 'vitest';

/** What a recipe leaves to its runtime. */
export interface App {
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

const listening = new Set<NetServer>();
const { listen } = NetServer.prototype;
let serve: (options: App & { port: number }) => void = () => {};

/** Before the first recipe is run. */
export async function prepare(): Promise<void> {
  vi.spyOn(NetServer.prototype, 'listen').mockImplementation(function (this: NetServer, ...args: unknown[]) {
    listening.add(this);
    const done = args.find((arg): arg is () => void => typeof arg === 'function');
    return listen.call(this, { port: 0, host: '127.0.0.1' }, done);
  });
  // Its types are for compilers that know browsers.
  const adapter: string = '@hono/node-server';
  ({ serve } = (await import(/* @vite-ignore */ adapter)) as { serve: typeof serve });
}

/** After the last one. */
export async function end(): Promise<void> {
  vi.restoreAllMocks();
  const closed = [...listening].map((one) => new Promise((resolve) => one.close(resolve)));
  for (const one of listening) (one as { closeAllConnections?(): void }).closeAllConnections?.();
  await Promise.all(closed);
}

/** Serves what a runtime would serve. */
export function serveApp({ fetch }: App): void {
  serve({ fetch, port: 3000 });
}

/** Runs a recipe; gives the port it listens at. */
export async function portOf(folder: string, name: string): Promise<number> {
  const before = new Set(listening);
  const file = pathToFileURL(join(folder, `${name}.ts`)).href;
  const { default: app } = (await import(/* @vite-ignore */ file)) as { default?: App };
  if (app) serveApp(app);
  const server = [...listening].find((one) => !before.has(one));
  if (!server) throw new Error(`${name} does not listen`);
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`${name} listens at no port`);
  return address.port;
}
