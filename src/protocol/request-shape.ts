/** The shape of the params that middleware and handlers rely on. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import { stringParam } from './checks.ts';

type ShapeCheck = (params: Params) => void;

const uri: ShapeCheck = (params) => void stringParam(params, 'uri');

/** A tool or a prompt, and arguments that are an object if there are some. */
const named: ShapeCheck = (params) => {
  stringParam(params, 'name');
  const { arguments: args } = params;
  if (args !== undefined && !isObject(args)) throw RpcError.invalidParams('"arguments" must be an object');
};

const CHECKS: ReadonlyMap<string, ShapeCheck> = new Map([
  ['tools/call', named],
  ['prompts/get', named],
  ['resources/read', uri],
  ['resources/subscribe', uri],
  ['resources/unsubscribe', uri],
]);

/** Throws -32602 if the params of this method do not have the members that its type says. */
export function checkShape(method: string, params: Params): void {
  CHECKS.get(method)?.(params);
}
