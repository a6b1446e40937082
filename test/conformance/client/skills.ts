/** Skills: listed without reading them, and not used if they are not what the list says. */

import { connect } from 'mcpp/client';
import { listSkills, openSkill, SkillError, skillsClient } from 'mcpp/extensions/skills';
import type { Scenario } from './scenario.ts';

async function list(url: string): Promise<void> {
  const mcp = await connect(url, { extensions: [skillsClient] });
  const { skills } = await listSkills(mcp);
  if (skills.length === 0) throw new Error('There is no skill in the list');
  await mcp.close();
}

/** Uses every skill with all its files. */
const refuse =
  (code: string): Scenario =>
  async (url) => {
    const mcp = await connect(url, { extensions: [skillsClient] });
    const { skills } = await listSkills(mcp);
    const refusals: string[] = [];
    for (const entry of skills) {
      try {
        const skill = await openSkill(mcp, entry);
        for (const path of skill.paths) await skill.readFile(path);
      } catch (error) {
        if (!(error instanceof SkillError)) throw error;
        refusals.push(error.code);
      }
    }
    await mcp.close();
    if (refusals.join() !== code) throw new Error(`Expected ${code}, and there was: ${refusals.join()}`);
  };

/** The scenarios, by name. */
export const skillScenarios: ReadonlyMap<string, Scenario> = new Map([
  ['sep-2640-client-no-prefetch', list],
  ['sep-2640-client-verify-digest', refuse('digest-mismatch')],
  ['sep-2640-client-verify-size', refuse('size-mismatch')],
  ['sep-2640-client-verify-frontmatter', refuse('frontmatter-mismatch')],
]);
