/** A tool that keeps no state between its questions and their answers: it returns the ones and reads the others. */

import { inputRequired, type McpServer } from 'mcpp/server';

/** Registers it. */
export function addInputRequired(server: McpServer): void {
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
  const question = {
    method: 'elicitation/create',
    params: { mode: 'form', message: 'What is your name?', requestedSchema },
  } as const;
  server.registerTool(
    'test_input_required_result_elicitation',
    { description: 'Asks for a name, and takes any answer that has one' },
    (_args, ctx) => {
      const answer = ctx.inputResponses.get('user_name');
      const name = answer && 'action' in answer && answer.action === 'accept' ? answer.content?.['name'] : undefined;
      return typeof name === 'string' ? `Hello, ${name}!` : inputRequired({ requests: { user_name: question } });
    },
  );
}
