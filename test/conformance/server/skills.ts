/** Skills: two that stand alone, one of them in a folder of somebody's, and one within another. */

import { type SkillsExtension, skills } from 'mcpp/extensions/skills';

const FILES = {
  'acme/git-workflow/SKILL.md': `---
name: git-workflow
description: Follow this team's conventions for branches and commits
license: Apache-2.0
metadata:
  since: 2024-01-31
  version: 2.10
  reviewers: [ada, grace]
---

Name branches as in references/BRANCHES.md.
`,
  'acme/git-workflow/references/BRANCHES.md': '# Branches\n\nA word, a slash, and a few more words.\n',
  'pdf-processing/SKILL.md': `---
name: pdf-processing
description: >-
  Extract, fill and assemble
  PDF documents
---

Pick one of templates/, and fill it as the skill in filling/ says.
`,
  'pdf-processing/templates/invoice.md': '# Invoice\n',
  'pdf-processing/templates/regional/eu-invoice.md': '# Invoice, with a number for taxes\n',
  'pdf-processing/assets/logo.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  'pdf-processing/filling/SKILL.md': `---
name: filling
description: Fill one form of a PDF document
---

Fill it.
`,
};

/** Reads them. */
export function readSkills(): Promise<SkillsExtension> {
  return skills(FILES);
}
