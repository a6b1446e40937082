/** The revision a message says it speaks. Only stateless revisions have requests say so. */

import { isObject, type Params } from '../jsonrpc/message.ts';
import { MetaKey } from './model/meta.ts';

/** The revision a request claims to speak; undefined if it claims none. */
export function claimedVersion(params: Params | readonly unknown[] | undefined): unknown {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) && Object.hasOwn(meta, MetaKey.protocolVersion) ? meta[MetaKey.protocolVersion] : undefined;
}
