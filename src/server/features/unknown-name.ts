/** The error for a tool or prompt name that is not registered or is hidden from the caller. */

import { closest } from '../../jsonrpc/closest.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { shorten } from '../../jsonrpc/printable.ts';
import type { Viewer } from '../../protocol/revision.ts';
import type { Entry, Registry } from './registry.ts';

/** Returns error -32602 for an unknown name. The message suggests the most similar name that the viewer may see. */
export function unknownName<E extends Entry>(
  noun: string,
  name: string,
  registry: Registry<E>,
  viewer: Viewer,
): RpcError {
  const meant = closest(name, namesFor(registry, viewer));
  const advice = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return RpcError.invalidParams(`Unknown ${noun}: ${shorten(name)}${advice}`);
}

function* namesFor<E extends Entry>(registry: Registry<E>, viewer: Viewer): Generator<string> {
  for (const { key } of registry.entries(viewer)) yield key;
}
