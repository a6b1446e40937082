/** Client capabilities: whether a client declared one, and whether its revision has it. */

import { extensionCapabilities } from './extension.ts';
import type { ClientCapabilities, ClientCapabilityName } from './model/capabilities.ts';
import type { ClientInfo } from './revision.ts';
import type { RevisionFeatures } from './revisions.ts';

/** True if the client declared the capability. `name` is a path such as `elicitation.url`. */
export function hasCapability(capabilities: ClientCapabilities, name: ClientCapabilityName): boolean {
  // `elicitation: {}` declares forms, as before URL mode was added to the protocol.
  if (name === 'elicitation.form' && isBareElicitation(capabilities)) return true;
  let at: unknown = capabilities;
  for (const key of pathOf(name)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Record<string, unknown>)[key];
  }
  return at !== undefined && at !== null && at !== false;
}

/** Returns the object that declares a capability: `{ elicitation: { form: {} } }` for `elicitation.form`. */
export function capabilityObject(name: ClientCapabilityName): ClientCapabilities {
  return pathOf(name).reduceRight<object>((inner, key) => ({ [key]: inner }), {});
}

// Splits only at the first dot if the rest is the id of an extension, since ids contain dots.
function pathOf(name: string): string[] {
  const extension = /^(extensions|experimental)\.(.+)$/.exec(name);
  return extension?.[1] && extension[2] ? [extension[1], extension[2]] : name.split('.');
}

function isBareElicitation({ elicitation }: ClientCapabilities): boolean {
  return typeof elicitation === 'object' && elicitation !== null && !('form' in elicitation) && !('url' in elicitation);
}

/** True if the client declared the capability and its revision has it. */
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
  // Revisions without URL mode have no members of `elicitation`: the capability itself declares forms.
  if (name === 'elicitation.form' && !url) return hasCapability(capabilities, 'elicitation');
  return hasCapability(capabilities, name);
}

/** Returns the capabilities that a client declares in a revision. `capabilities.extensions` overrides settings of extensions. */
export function clientCapabilities(client: ClientInfo, version: string): ClientCapabilities {
  const { capabilities, extensions = [] } = client;
  const declared = extensionCapabilities(version, extensions);
  return declared ? { ...capabilities, extensions: { ...declared, ...capabilities.extensions } } : capabilities;
}
