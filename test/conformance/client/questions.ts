/** Being asked: by a request of the server's, or in the answer to a call. */

import { connect } from 'mcpp/client';
import type { Scenario } from './scenario.ts';

/** Accepts a form as it is: what was left out gets the form's defaults. */
async function acceptDefaults(url: string): Promise<void> {
  const mcp = await connect(url, { onElicit: () => ({ action: 'accept' }) });
  await mcp.callTool('test_client_elicitation_defaults');
  await mcp.close();
}

async function confirmEverything(url: string): Promise<void> {
  const mcp = await connect(url, { onElicit: () => ({ action: 'accept', content: { confirmed: true } }) });
  for await (const { name } of mcp.tools()) await mcp.callTool(name);
  await mcp.close();
}

/** The scenarios, by name. */
export const questions: ReadonlyMap<string, Scenario> = new Map([
  ['elicitation-sep1034-client-defaults', acceptDefaults],
  ['sep-2322-client-request-state', confirmEverything],
]);
