/** The client the conformance suite watches: does what the scenario in the environment asks for, and ends. */

import { auth } from './client/auth.ts';
import { basics } from './client/basics.ts';
import { headers } from './client/headers.ts';
import { questions } from './client/questions.ts';
import type { Scenario } from './client/scenario.ts';
import { schemas } from './client/schemas.ts';
import { skillScenarios } from './client/skills.ts';

/** What there is to do, by the name the suite has for it. */
const scenarios: ReadonlyMap<string, Scenario> = new Map([
  ...basics,
  ...headers,
  ...questions,
  ...schemas,
  ...auth,
  ...skillScenarios,
]);

const { MCP_CONFORMANCE_SCENARIO: name = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const scenario = scenarios.get(name);
const url = process.argv.at(-1);
if (!scenario || !url) throw new Error(`"${name}" is none of the scenarios: ${[...scenarios.keys()].join(', ')}`);
await scenario(url, JSON.parse(context));
