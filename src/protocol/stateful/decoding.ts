/** Results as the server's code gave them: what was done to them for an older revision is undone, by the marks it left. */

import { isFiniteThroughout, mayOverflow } from '../../jsonrpc/finite.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { STRUCTURE_LIMITS, structureFault } from '../../jsonrpc/structure.ts';
import { STRUCTURED_TEXT, WRAPPED_RESULT } from '../model/meta.ts';
import { unmarked, unwrapSchema } from './structured.ts';

type Result = Record<string, unknown>;

const decoders: ReadonlyMap<string, (result: Result) => Result> = new Map([
  ['tools/call', restoreToolResult],
  ['tools/list', restoreTools],
]);

/** The result as it was given. Only what is marked is touched; where a mark is wrong, everything stays as it came. */
export function restore(method: string, result: Result): Result {
  return decoders.get(method)?.(result) ?? result;
}

/** True for the answer to a call that goes on as an experimental task. No other result has a word for what it is. */
export function isTask(result: Result): boolean {
  return isObject(result['task']) && result['content'] === undefined && result['structuredContent'] === undefined;
}

interface Found {
  readonly structuredContent: unknown;
}

function restoreToolResult(result: Result): Result {
  const { _meta } = result;
  if (!isObject(_meta)) return result;
  const found = _meta[WRAPPED_RESULT] === true ? wrapped(result) : inText(result, _meta[STRUCTURED_TEXT]);
  return found ? { ...unmarked(result), ...found } : result;
}

function wrapped({ structuredContent }: Result): Found | undefined {
  if (!isObject(structuredContent) || !Object.hasOwn(structuredContent, 'result')) return undefined;
  // More than was put in: whoever added it meant the object.
  return Object.keys(structuredContent).length === 1 ? { structuredContent: structuredContent['result'] } : undefined;
}

function inText(result: Result, index: unknown): Found | undefined {
  const { content } = result;
  if (!Array.isArray(content) || typeof index !== 'number' || Object.hasOwn(result, 'structuredContent')) {
    return undefined;
  }
  const block: unknown = content[index];
  if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return undefined;
  return parsed(block['text']);
}

const encoder = new TextEncoder();

function parsed(text: string): Found | undefined {
  // What is inside a text gets no deeper than what is not.
  if (structureFault(encoder.encode(text), STRUCTURE_LIMITS)) return undefined;
  try {
    const structuredContent: unknown = JSON.parse(text);
    return mayOverflow(text) && !isFiniteThroughout(structuredContent) ? undefined : { structuredContent };
  } catch {
    return undefined;
  }
}

function restoreTools(result: Result): Result {
  const { tools } = result;
  return Array.isArray(tools) && tools.some(isMarked) ? { ...result, tools: tools.map(restoreTool) } : result;
}

function restoreTool(tool: unknown): unknown {
  if (!isMarked(tool)) return tool;
  try {
    const outputSchema = unwrapSchema(tool['outputSchema']);
    return outputSchema ? { ...unmarked(tool), outputSchema } : tool;
  } catch {
    // Deeper than the stack, which only a transport without limits lets in.
    return tool;
  }
}

function isMarked(tool: unknown): tool is Result {
  return isObject(tool) && isObject(tool['_meta']) && tool['_meta'][WRAPPED_RESULT] === true;
}
