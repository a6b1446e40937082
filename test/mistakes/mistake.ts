/** A mistake that users make, and the message that they get for it. */

import { format } from 'node:util';
import { McpServer, type McpServerOptions } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { vi } from 'vitest';

/** One row: `seen` makes the mistake and gives what the user sees. */
export interface Mistake {
  /** The message, with `...` for what differs from case to case. It is the heading of the documentation. */
  readonly message: string;
  /** Where the message appears. */
  readonly where: 'thrown' | 'rejected' | 'stderr' | 'tool result' | 'HTTP response' | 'onError' | 'symptom';
  readonly cause: string;
  readonly remedy: string;
  readonly seen: () => Promise<string> | string;
}

export const info = { name: 'mistakes', version: '1.0.0' };

export function make(options: object = {}): McpServer {
  return new McpServer(info, options as McpServerOptions);
}

/** The message of the error that a function throws or rejects with. */
export async function messageOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('nothing was refused');
}

/** What is written to stderr while a function runs. */
export async function stderrOf(run: () => unknown): Promise<string> {
  const lines: string[] = [];
  const spy = vi.spyOn(console, 'error').mockImplementation((...args) => void lines.push(format(...args)));
  try {
    await run();
  } finally {
    spy.mockRestore();
  }
  return lines.join('\n');
}

/** What `onError` gets when a tool with this handler is called. */
export async function reportOf(handler: () => unknown, config: object = {}): Promise<string> {
  const reports: string[] = [];
  const server = make({
    onError: (error: unknown) => reports.push(error instanceof Error ? error.message : String(error)),
  });
  server.registerTool('t', config as never, handler as never);
  const client = await testClient<unknown>(server);
  await client.callTool('t');
  await client.close();
  return reports.join('\n');
}
