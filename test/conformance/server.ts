/** The server the conformance suite talks to: a little of everything, on `$PORT`. */

import { tasks } from 'mcpp/extensions/tasks';
import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { addChanges } from './server/changes.ts';
import { addContent } from './server/content.ts';
import { addInputRequired } from './server/input-required.ts';
import { addPrompts } from './server/prompts.ts';
import { addQuestions } from './server/questions.ts';
import { addReports, MAX_STREAM_MS } from './server/reports.ts';
import { addResources } from './server/resources.ts';
import { addRounds } from './server/rounds.ts';
import { addSchemas } from './server/schemas.ts';
import { readSkills } from './server/skills.ts';
import { addTasks } from './server/tasks.ts';

const server = new McpServer(
  { name: 'mcpp-conformance', version: '1.0.0', title: 'mcpp, as the conformance suite sees it' },
  {
    instructions: 'Every feature once, under the names the conformance suite asks for.',
    extensions: [tasks({ pollIntervalMs: 100 }), await readSkills()],
    // The suite plays a web page that is refused, which the server reports; anything else on stderr is a fault.
    onError: (error, { method }) => {
      if (!(error instanceof Error && error.message.startsWith('A web page of http://evil.example.com got 403')))
        console.error(method, error);
    },
  },
);

// The suite calls the first tool of the list without arguments.
addContent(server);
addReports(server);
addQuestions(server);
addRounds(server);
addInputRequired(server);
addTasks(server);
addSchemas(server);
addChanges(server);
addPrompts(server);
addResources(server);

const { url } = await serveHttp(server, {
  port: Number(process.env['PORT'] ?? 3000),
  maxStreamMs: MAX_STREAM_MS,
});
console.log(`Listening at ${url}`);
