/** The methods only stateless revisions have: what the server is, and watching it. */

import type { Call, Host, OwnMethod } from '../revision.ts';
import { listen } from './listen.ts';

/** The requests of every stateless revision. */
export const methods: ReadonlyMap<string, OwnMethod> = new Map<string, OwnMethod>([
  ['server/discover', discover],
  ['subscriptions/listen', listen],
]);

function discover(call: Call, host: Host): object {
  call.about = { cache: host.cache };
  return {
    supportedVersions: host.versions,
    capabilities: host.declaredIn(call.revision, call.exchange.principal),
    ...(host.instructions === undefined ? {} : { instructions: host.instructions }),
  };
}
