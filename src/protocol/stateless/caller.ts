/** Reads the description of the client from `_meta` of a stateless request. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { isObject, type Params } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../model/capabilities.ts';
import { MetaKey } from '../model/meta.ts';
import { isImplementation, levelParam } from '../params.ts';
import type { Caller } from '../revision.ts';

/** Returns the client of a request. Throws -32602 if a required member of `_meta` is missing or malformed. */
export function callerOf(params: Params): Caller {
  const meta = params['_meta'];
  if (!isObject(meta)) throw RpcError.invalidParams('"_meta" must be an object');
  if (typeof meta[MetaKey.protocolVersion] !== 'string') {
    throw RpcError.invalidParams(`"_meta" must have the string "${MetaKey.protocolVersion}"`);
  }
  const capabilities = meta[MetaKey.clientCapabilities];
  if (!isObject(capabilities)) {
    throw RpcError.invalidParams(`"_meta" must have the object "${MetaKey.clientCapabilities}"`);
  }
  const info = meta[MetaKey.clientInfo];
  if (info !== undefined && !isImplementation(info)) {
    throw RpcError.invalidParams(`"${MetaKey.clientInfo}" must be an object with the strings "name" and "version"`);
  }
  const level = meta[MetaKey.logLevel];
  return {
    info,
    capabilities: capabilities as ClientCapabilities,
    logLevel: level === undefined ? undefined : levelParam(level, MetaKey.logLevel),
  };
}
