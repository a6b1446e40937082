/** A conversation of the official client, version 1, with a server program over stdio. */

import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';

/** The name of a tool and its arguments. */
export type Call = readonly [name: string, args?: Record<string, unknown>];

/** What the client got. */
export interface Received {
  readonly serverInfo: unknown;
  readonly instructions: string | undefined;
  readonly capabilities: unknown;
  readonly tools: readonly Record<string, unknown>[];
  /** The results of the calls, in their order; `{ code, message }` for JSON-RPC errors. */
  readonly results: readonly Record<string, unknown>[];
}

/** Starts a program of `servers/`, lists its tools, makes the calls one after the other, and ends it. */
export async function converse(
  program: string,
  calls: readonly Call[],
  env: Record<string, string> = {},
): Promise<Received> {
  const path = fileURLToPath(new URL(`servers/${program}.mjs`, import.meta.url));
  const client = new Client({ name: 'official', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [path], env, stderr: 'ignore' }));
  try {
    const { tools } = await client.listTools();
    const results: Record<string, unknown>[] = [];
    for (const [name, args] of calls) results.push(await call(client, name, args));
    return {
      serverInfo: client.getServerVersion(),
      instructions: client.getInstructions(),
      capabilities: client.getServerCapabilities(),
      tools,
      results,
    };
  } finally {
    await client.close();
  }
}

async function call(client: Client, name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>> {
  try {
    return await client.callTool({ name, ...(args && { arguments: args }) });
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return { code: error.code, message: error.message };
  }
}
