/** What a client declares: what it can do by itself, and its extensions. */

import { declaredIn } from './extension.ts';
import type { ClientCapabilities } from './model/capabilities.ts';
import type { ClientFacts } from './revision.ts';

/** What is declared in this revision. What was said of an extension by hand counts more than what it says of itself. */
export function declaredBy({ capabilities, extensions = [] }: ClientFacts, version: string): ClientCapabilities {
  const declared = declaredIn(version, extensions);
  return declared ? { ...capabilities, extensions: { ...declared, ...capabilities.extensions } } : capabilities;
}
