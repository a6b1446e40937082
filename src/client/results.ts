/** Validates results: required members, tool definitions and structured content. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import { METHODS } from '../protocol/methods.ts';
import type { CallToolResult, Tool } from '../protocol/model/tools.ts';
import type { RevisionFeatures } from '../protocol/revisions.ts';
import type { ArgumentHeaders } from './argument-headers.ts';
import type { ToolBook } from './tool-book.ts';

type Result = Record<string, unknown>;

/** Returns the validated result, or throws `ConnectionError('malformed')`. `mirrored` stores `x-mcp-header` declarations. */
export function readResult(
  method: string,
  params: Params,
  result: Result,
  facts: RevisionFeatures,
  book: ToolBook,
  mirrored?: ArgumentHeaders,
): Result | Promise<Result> {
  if (method === 'tools/call') return readToolResult(String(params['name']), result, facts, book);
  const member = METHODS.get(method)?.result;
  if (member === undefined) return result;
  const value = result[member];
  // `completion` is an object with an array. In other results, the required member is an array of objects.
  if (method === 'completion/complete') {
    if (!isObject(value)) throw malformed(method, member, 'an object');
    if (!Array.isArray(value['values'])) throw malformed(method, `${member}/values`, 'an array');
    return result;
  }
  checkObjects(method, member, value);
  return method === 'tools/list' ? readTools(result, value as Tool[], book, mirrored) : result;
}

function checkObjects(method: string, member: string, value: unknown): void {
  if (!Array.isArray(value)) throw malformed(method, member, 'an array');
  const wrong = value.findIndex((one) => !isObject(one));
  if (wrong >= 0) throw malformed(method, `${member}/${wrong}`, 'an object');
}

function malformed(method: string, path: string, expected: string): ConnectionError {
  return new ConnectionError('malformed', `Malformed answer to ${method}: /result/${path} must be ${expected}`);
}

async function readTools(
  result: Result,
  tools: readonly Tool[],
  book: ToolBook,
  mirrored: ArgumentHeaders | undefined,
): Promise<Result> {
  const usable = await book.take(tools, mirrored);
  return usable.length === tools.length ? result : { ...result, tools: usable };
}

function readToolResult(
  name: string,
  result: Result,
  facts: RevisionFeatures,
  book: ToolBook,
): Result | Promise<Result> {
  const { content = [], isError = false } = result;
  checkObjects('tools/call', 'content', content);
  if (typeof isError !== 'boolean') throw malformed('tools/call', 'isError', 'a boolean');
  // Servers with only a structured result leave out `content`.
  const whole = result['content'] === undefined ? { ...result, content } : result;
  const isRequired = facts.structuredContent !== 'nothing';
  return book.check(name, whole as unknown as CallToolResult, isRequired) as unknown as Result | Promise<Result>;
}
