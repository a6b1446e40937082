/** Connecting, calling a tool, and coming back for an answer when the stream ended before it. */

import { connect } from 'mcpp/client';
import type { Scenario } from './scenario.ts';

async function list(url: string): Promise<void> {
  const mcp = await connect(url);
  await mcp.listTools();
  await mcp.close();
}

async function add(url: string): Promise<void> {
  const mcp = await connect(url);
  await mcp.listTools();
  await mcp.callTool('add_numbers', { a: 5, b: 3 });
  await mcp.close();
}

async function comeBack(url: string): Promise<void> {
  const mcp = await connect(url);
  await mcp.callTool('test_reconnection');
  await mcp.close();
}

/** A client that can be asked everything says so with every request. */
async function declareEverything(url: string): Promise<void> {
  const mcp = await connect(url, {
    roots: [{ uri: 'file:///home/ada' }],
    onElicit: () => ({ action: 'decline' }),
    onSample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'Hello' } }),
  });
  await mcp.listTools();
  await mcp.close();
}

/** The scenarios, by name. */
export const basics: ReadonlyMap<string, Scenario> = new Map([
  ['initialize', list],
  ['tools_call', add],
  ['sse-retry', comeBack],
  ['request-metadata', declareEverything],
]);
