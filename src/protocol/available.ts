/** What a client can be asked. */

import { hasCapability } from './caller.ts';
import type { RevisionFacts } from './facts.ts';
import type { ClientCapabilities, ClientCapabilityName } from './model/capabilities.ts';

/** True if the client declared this, and its revision has it. */
export function isAvailable(
  name: ClientCapabilityName,
  capabilities: ClientCapabilities,
  facts: RevisionFacts,
): boolean {
  const form = facts.elicitation !== 'none';
  const url = facts.elicitation === 'form and url';
  if ((name === 'elicitation' || name === 'elicitation.form') && !form) return false;
  if (name === 'elicitation.url' && !url) return false;
  if (name === 'sampling.tools' && !facts.samplingTools) return false;
  // Before there were URLs, a client that could elicit could show forms, whatever else it put there.
  if (name === 'elicitation.form' && !url) return hasCapability(capabilities, 'elicitation');
  return hasCapability(capabilities, name);
}
