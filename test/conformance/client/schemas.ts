/** Tools' schemas: shown as the server sent them, and nothing they point to is fetched. */

import { connect } from 'mcpp/client';
import type { Scenario } from './scenario.ts';

async function list(url: string): Promise<void> {
  const mcp = await connect(url);
  await mcp.listTools();
  await mcp.close();
}

async function sendBack(url: string): Promise<void> {
  const mcp = await connect(url);
  const { tools } = await mcp.listTools();
  const { inputSchema } = tools.find(({ name }) => name === 'json_schema_2020_12_tool') ?? {};
  await mcp.callTool('json_schema_echo', { schema: inputSchema });
  await mcp.close();
}

/** The scenarios, by name. */
export const schemas: ReadonlyMap<string, Scenario> = new Map([
  ['json-schema-ref-no-deref', list],
  ['json-schema-2020-12-preservation', sendBack],
]);
