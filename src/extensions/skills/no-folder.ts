/** `openFolder` for platforms without a file system: always rejects with a `SkillError`. */

import { SkillError } from './errors.ts';
import type { SkillSource } from './library.ts';

export async function openFolder(_folder: string | URL): Promise<SkillSource> {
  const text = 'There are no folders here to read skills from: pass the files, as { "name/SKILL.md": "..." }';
  throw new SkillError('unsupported', text);
}
