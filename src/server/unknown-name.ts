/** The error of a request for a tool or a prompt that does not exist, or not for its sender. */

import { closest } from '../jsonrpc/closest.ts';
import { RpcError, shorten } from '../jsonrpc/errors.ts';
import type { Viewer } from '../protocol/revision.ts';
import type { Entry, Registry } from './registry.ts';

/** -32602 with the name that was probably meant, among those that the viewer may know of. */
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
