/** The methods only stateless revisions have: what the server is, and watching it. */

import type { Change } from '../model/changes.ts';
import { MetaKey } from '../model/meta.ts';
import type { Call, Host, OwnMethod } from '../revision.ts';
import { filterOf, honoured, noticeOf } from './changes.ts';

/** The requests of every stateless revision. */
export const methods: ReadonlyMap<string, OwnMethod> = new Map<string, OwnMethod>([
  ['server/discover', discover],
  ['subscriptions/listen', listen],
]);

function discover(call: Call, host: Host): object {
  call.about = { cache: host.cache };
  return {
    supportedVersions: host.versions,
    capabilities: host.capabilities,
    ...(host.instructions === undefined ? {} : { instructions: host.instructions }),
  };
}

/** Stays open for as long as the client listens or the server runs; ends at once if nothing asked for can be told. */
function listen({ id, params, caller, exchange }: Call, host: Host): object | Promise<object> {
  const filter = honoured(filterOf(params), host.capabilities);
  const _meta = { [MetaKey.subscriptionId]: id };
  exchange.notify('notifications/subscriptions/acknowledged', { notifications: filter, _meta });
  if (Object.keys(filter).length === 0) return { _meta };

  const tell = (change: Change): void => {
    const notice = noticeOf(change, filter, id);
    if (notice) exchange.notify(notice.method, notice.params);
  };
  const viewer = { principal: exchange.principal, capabilities: caller.capabilities };
  exchange.onEnd(host.watch(tell, viewer));
  return new Promise((resolve) => exchange.onCancel(() => resolve({ _meta })));
}
