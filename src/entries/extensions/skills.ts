/** `mcpp/extensions/skills`: serves skills, and reads the skills of servers. */

export { type SkillLimits, skillDigest } from '../../extensions/skills/entry.ts';
export { SkillError, type SkillErrorCode } from '../../extensions/skills/errors.ts';
export {
  getSkill,
  type ListSkillsOptions,
  listSkills,
  readDirectory,
  type SkillList,
  type SkillRequestOptions,
} from '../../extensions/skills/listing.ts';
export { type OpenSkillOptions, openSkill, type Skill } from '../../extensions/skills/opening.ts';
export { type SkillFiles, type SkillsExtension, type SkillsOptions, skills } from '../../extensions/skills/server.ts';
export {
  type SkillEntry,
  type SkillFrontmatter,
  type SkillResource,
  skillsClient,
} from '../../extensions/skills/skill.ts';
