/** Checks whether a client declared a capability, and whether the revision has the capability. */

import { extensionCapabilities } from './extension-definition.ts';
import type { ClientCapabilities, ClientCapabilityName } from './model/capabilities.ts';
import type { ClientInfo } from './revision.ts';
import type { RevisionFeatures } from './revisions.ts';

/** Returns true if the client declared the capability `name`, a path such as `elicitation.url`. */
export function hasCapability(capabilities: ClientCapabilities, name: ClientCapabilityName): boolean {
  // `elicitation: {}` declares form mode, because `elicitation` had no members before the protocol added URL mode.
  if (name === 'elicitation.form' && isBareElicitation(capabilities)) return true;
  let at: unknown = capabilities;
  for (const key of pathOf(name)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Record<string, unknown>)[key];
  }
  return at !== undefined && at !== null && at !== false;
}

/** Returns the object that declares a capability, such as `{ elicitation: { form: {} } }` for `elicitation.form`. */
export function capabilityObject(name: ClientCapabilityName): ClientCapabilities {
  return pathOf(name).reduceRight<object>((inner, key) => ({ [key]: inner }), {});
}

// The name after `extensions.` or `experimental.` is a single key, because ids such as `com.example/feature` contain dots.
function pathOf(name: string): string[] {
  const extension = /^(extensions|experimental)\.(.+)$/.exec(name);
  return extension?.[1] && extension[2] ? [extension[1], extension[2]] : name.split('.');
}

function isBareElicitation({ elicitation }: ClientCapabilities): boolean {
  return typeof elicitation === 'object' && elicitation !== null && !('form' in elicitation) && !('url' in elicitation);
}

/** Returns true if the server may use the capability: the client declared it, and the revision has it. */
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
  // In revisions without URL mode, `elicitation` has no members and always declares form mode.
  if (name === 'elicitation.form' && !url) return hasCapability(capabilities, 'elicitation');
  return hasCapability(capabilities, name);
}

/** Returns the client's capabilities with the extensions that the revision allows. `capabilities.extensions` has precedence. */
export function clientCapabilities(client: ClientInfo, version: string): ClientCapabilities {
  const { capabilities, extensions = [] } = client;
  const declared = extensionCapabilities(version, extensions);
  return declared ? { ...capabilities, extensions: { ...declared, ...capabilities.extensions } } : capabilities;
}
