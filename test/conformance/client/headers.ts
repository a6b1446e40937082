/** What HTTP repeats in headers: the method, the name, and the arguments a tool has marked. */

import { connect } from 'mcpp/client';
import type { Scenario } from './scenario.ts';

async function useEverything(url: string): Promise<void> {
  const mcp = await connect(url);
  for await (const { name } of mcp.tools()) await mcp.callTool(name, {});
  for await (const { uri } of mcp.resources()) await mcp.readResource(uri);
  for await (const { name } of mcp.prompts()) await mcp.getPrompt(name);
  await mcp.close();
}

interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

async function callAsTold(url: string, context: Readonly<Record<string, unknown>>): Promise<void> {
  const mcp = await connect(url);
  await mcp.listTools();
  for (const call of context['toolCalls'] as readonly ToolCall[]) await mcp.callTool(call.name, call.arguments);
  await mcp.close();
}

/** Tools whose marks break the rules are not in the list, so nobody comes to call them. */
async function callWhatIsListed(url: string): Promise<void> {
  const mcp = await connect(url);
  for await (const { name } of mcp.tools()) await mcp.callTool(name, { region: 'us-west1' });
  await mcp.close();
}

/** The scenarios, by name. */
export const headers: ReadonlyMap<string, Scenario> = new Map([
  ['http-standard-headers', useEverything],
  ['http-custom-headers', callAsTold],
  ['http-invalid-tool-headers', callWhatIsListed],
]);
