/** `subscriptions/listen`: stays open, and tells of what the client wants to hear. */

import { isObject, type Params } from '../../jsonrpc/message.ts';
import type { ServerEvent } from '../model/changes.ts';
import { type Meta, MetaKey } from '../model/meta.ts';
import type { Call, FieldToTell, Host, OpenSubscription } from '../revision.ts';
import { filterOf, honoured, noticeOf } from './changes.ts';

/** Ends when the client stops listening or the server ends; at once if nothing that was asked for can be told. */
export function listen(call: Call, host: Host): object | Promise<object> {
  const wanted = filterOf(call.params) as Params;
  const fields = [...host.subscriptions].filter(([name]) => Object.hasOwn(wanted, name));
  // Whoever wants nothing of extensions does not wait for them.
  return fields.length === 0 ? tell(call, host, new Map()) : tellWith(call, host, wanted, fields);
}

async function tellWith(
  call: Call,
  host: Host,
  wanted: Params,
  fields: readonly (readonly [string, OpenSubscription])[],
): Promise<object> {
  const opening = Promise.all(fields.map(async ([name, open]) => [name, await open(wanted[name], call)] as const));
  const opened = await Promise.race([opening, unheard(call)]);
  if (!opened) return { _meta: metaOf(call) };
  return tell(call, host, new Map(opened.filter((field): field is [string, FieldToTell] => field[1] !== undefined)));
}

function tell(call: Call, host: Host, fields: ReadonlyMap<string, FieldToTell>): object | Promise<object> {
  const { id, params, exchange } = call;
  const filter = honoured(filterOf(params), host.capabilities);
  const ofFields = Object.fromEntries([...fields].map(([name, field]) => [name, field.honoured]));
  const _meta = metaOf(call);
  const notifications = { ...filter, ...ofFields };
  exchange.notify('notifications/subscriptions/acknowledged', { notifications, _meta });
  if (Object.keys(notifications).length === 0) return { _meta };

  const tellChange = (change: ServerEvent): void => {
    const notice = noticeOf(change, filter, id);
    if (notice) exchange.notify(notice.method, notice.params);
  };
  exchange.onEnd(host.watch(tellChange, call, () => filter.resourceSubscriptions ?? []));
  for (const field of fields.values()) {
    const tellOfField = (method: string, told: Params): void =>
      exchange.notify(method, { ...told, _meta: { ...(isObject(told['_meta']) ? told['_meta'] : {}), ..._meta } });
    exchange.onEnd(field.begin(tellOfField));
  }
  return new Promise((resolve) => exchange.onCancel(() => resolve({ _meta })));
}

/** Resolves when nobody listens any more. */
function unheard({ exchange }: Call): Promise<undefined> {
  return new Promise((resolve) => exchange.onCancel(() => resolve(undefined)));
}

function metaOf({ id }: Call): Meta {
  return { [MetaKey.subscriptionId]: id };
}
