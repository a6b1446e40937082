/** Client capabilities: which of them a client declared, and whether its revision has them. */

import { type Declaration, extensionCapabilities } from './extension.ts';
import type { ClientCapabilities, ClientCapabilityName } from './model/capabilities.ts';
import type { RevisionFeatures } from './revisions.ts';

/** True if the client declared this, by its dotted name. */
export function hasCapability(capabilities: ClientCapabilities, name: ClientCapabilityName): boolean {
  // A client that says `elicitation: {}` means forms: URLs came later.
  if (name === 'elicitation.form' && isBareElicitation(capabilities)) return true;
  let at: unknown = capabilities;
  for (const step of pathOf(name)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string, unknown>)[step];
  }
  return at !== undefined && at !== null && at !== false;
}

/** A capability as the object that declares it: `{ elicitation: { form: {} } }`. */
export function capabilityObject(name: ClientCapabilityName): ClientCapabilities {
  return pathOf(name).reduceRight<object>((inner, step) => ({ [step]: inner }), {});
}

// Extension ids have dots of their own.
function pathOf(name: string): string[] {
  const extension = /^(extensions|experimental)\.(.+)$/.exec(name);
  return extension?.[1] && extension[2] ? [extension[1], extension[2]] : name.split('.');
}

function isBareElicitation({ elicitation }: ClientCapabilities): boolean {
  return typeof elicitation === 'object' && elicitation !== null && !('form' in elicitation) && !('url' in elicitation);
}

/** True if the client declared this, and its revision has it. */
export function isAvailable(
  name: ClientCapabilityName,
  capabilities: ClientCapabilities,
  features: RevisionFeatures,
): boolean {
  const form = features.elicitation !== 'none';
  const url = features.elicitation === 'form and url';
  if ((name === 'elicitation' || name === 'elicitation.form') && !form) return false;
  if (name === 'elicitation.url' && !url) return false;
  if (name === 'sampling.tools' && !features.samplingTools) return false;
  // Before there were URLs, a client that could elicit could show forms, whatever else it put there.
  if (name === 'elicitation.form' && !url) return hasCapability(capabilities, 'elicitation');
  return hasCapability(capabilities, name);
}

interface Declared {
  readonly capabilities: ClientCapabilities;
  /** Extensions, each declared in the revisions that have it. */
  readonly extensions?: readonly Declaration[];
}

/** What is declared in this revision. What was said of an extension by hand counts more than what it says of itself. */
export function clientCapabilities({ capabilities, extensions = [] }: Declared, version: string): ClientCapabilities {
  const declared = extensionCapabilities(version, extensions);
  return declared ? { ...capabilities, extensions: { ...declared, ...capabilities.extensions } } : capabilities;
}
