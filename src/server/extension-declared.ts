/** Whether a request has to do with an extension. */

import { hasCapability } from '../protocol/caller.ts';
import { isKnownIn } from '../protocol/extension.ts';
import type { Call } from '../protocol/revision.ts';
import type { ProtocolVersion } from '../protocol/versions.ts';
import type { InProtocol, ServerExtension } from './extension.ts';

/** True if this very request declares the extension, in a revision that has it. */
export function isDeclared(extension: ServerExtension, { revision, caller }: Call): boolean {
  return isKnownIn(extension, revision) && hasCapability(caller.capabilities, `extensions.${extension.id}`);
}

/** What the protocol itself had of it in this revision. */
export function inProtocol({ server }: ServerExtension, version: string): InProtocol | undefined {
  return server?.inProtocol?.[version as ProtocolVersion];
}
