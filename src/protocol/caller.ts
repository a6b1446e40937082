/** Who sent a request and what it can do, whichever way its revision says so. */

import type { ClientCapabilities, ClientCapabilityName } from './model/capabilities.ts';
import type { Implementation } from './model/implementation.ts';
import type { LoggingLevel } from './model/logging.ts';

/** The client as one request shows it. */
export interface Caller {
  /** What the client says of itself: for logs, never for decisions. */
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The least severe log message the client wants; undefined wants none. */
  readonly logLevel: LoggingLevel | undefined;
}

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
