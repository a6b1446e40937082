/** Small checks of shapes that both families read. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import type { Implementation } from './model/implementation.ts';
import { isLoggingLevel, LOGGING_LEVELS, type LoggingLevel } from './model/logging.ts';

/** True for an object with a name and a version. */
export function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}

/** A string that must be there. */
export function stringParam(params: Params, name: string): string {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  if (typeof value !== 'string') throw RpcError.invalidParams(`"${name}" must be a string`);
  return value;
}

/** One of the eight log levels. */
export function levelParam(value: unknown, name: string): LoggingLevel {
  if (!isLoggingLevel(value)) throw RpcError.invalidParams(`"${name}" must be one of ${LOGGING_LEVELS.join(', ')}`);
  return value;
}
