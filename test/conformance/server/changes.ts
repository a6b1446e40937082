/** Tools that change what the server offers while it is being served. */

import type { McpServer } from 'mcpp/server';

/** Registers them. */
export function addChanges(server: McpServer): void {
  server.registerTool('test_trigger_tool_change', { description: 'Takes a tool away and puts it back' }, () => {
    server.tools.disable('test_simple_text');
    server.tools.enable('test_simple_text');
    return 'The tools have changed';
  });

  server.registerTool('test_trigger_prompt_change', { description: 'Takes a prompt away and puts it back' }, () => {
    server.prompts.disable('test_simple_prompt');
    server.prompts.enable('test_simple_prompt');
    return 'The prompts have changed';
  });
}
