/** Converts the return value of a tool handler to a `tools/call` result. */

import { findUnencodable } from '../../jsonrpc/json/unencodable.ts';
import { isPromise } from '../../jsonrpc/maybe-promise.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { printable } from '../../jsonrpc/printable.ts';
import type { ContentBlock } from '../../protocol/model/content.ts';
import type { CallToolResult } from '../../protocol/model/tools.ts';
import { isContent, wrongContent } from './content.ts';

/** Converts a tool handler's return value to a result. Throws a `WrongReturn` if the value cannot be converted. */
export function toolResult(value: unknown, hasOutputSchema: boolean, name: string): CallToolResult {
  if (isResult(value, hasOutputSchema)) return value;
  // With an output schema, only bytes are refused before validation, because the schema can convert other values to JSON.
  if (!hasOutputSchema || isBytes(value)) checkReturn(value, name);
  if (hasToJson(value)) return toolResult(value.toJSON(), hasOutputSchema, name);
  if (hasOutputSchema) return { content: [], structuredContent: value };
  if (value === undefined || value === null) return { content: [] };
  if (isContent(value)) return { content: [value] };
  if (Array.isArray(value) && value.length > 0 && value.some(isContent)) return { content: allContent(value, name) };
  if (typeof value === 'object') return { content: [], structuredContent: value };
  return { content: [{ type: 'text', text: String(value) }] };
}

/** Sets `structuredContent` of a result. If `content` is empty, adds the JSON as text for clients that read only `content`. */
export function withStructured(result: CallToolResult, structuredContent: unknown, name: string): CallToolResult {
  if (structuredContent === undefined) return result;
  checkEncodable(structuredContent, name);
  const fault = typeof structuredContent === 'object' && structuredContent !== null && faultInside(structuredContent);
  if (fault) throw new WrongReturn(`Tool "${name}" returned an object with ${fault}`);
  if (result.content.length > 0 && result.structuredContent === structuredContent) return result;
  const content: readonly ContentBlock[] =
    result.content.length > 0 ? result.content : [{ type: 'text', text: jsonOf(structuredContent, name) }];
  return { ...result, content, structuredContent };
}

function checkEncodable(value: unknown, name: string): void {
  const wrong = wrongReturnOf(value);
  if (wrong !== undefined) throw new WrongReturn(`Tool "${name}" returned ${wrong}`);
}

// Throws if JSON cannot encode the value, or if it has malformed `content`: such an object is a mistake rather than data.
function checkReturn(value: unknown, name: string): void {
  checkEncodable(value, name);
  if (!isObject(value) || value['content'] === undefined || hasToJson(value)) return;
  const problem = wrongContent(value['content']) ?? '/isError must be true or false';
  throw new WrongReturn(
    `Tool "${name}" returned an object with "content" that is no result: ${problem}. If it is data, declare an outputSchema`,
  );
}

function allContent(blocks: readonly unknown[], name: string): readonly ContentBlock[] {
  if (blocks.every(isContent)) return blocks;
  const problem = wrongContent(blocks)?.replace('/content', '');
  throw new WrongReturn(`Tool "${name}" returned an array of content and other values: ${problem}`);
}

// With an output schema, an object with `content` but no `structuredContent` is data for the schema, unless `isError` is true.
function isResult(value: unknown, hasOutputSchema: boolean): value is CallToolResult {
  if (!isObject(value)) return false;
  const { content, isError } = value;
  if (hasOutputSchema && isError !== true && value['structuredContent'] === undefined) return false;
  return Array.isArray(content) && (isError === undefined || typeof isError === 'boolean') && content.every(isContent);
}

function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return isObject(value) && typeof value['toJSON'] === 'function';
}

// Bytes are detected before `Buffer.toJSON` is called, because an output schema could accept the object that it returns.
function isBytes(value: unknown): boolean {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/** Thrown if a handler or middleware returns a value that is not a result. The message goes to `onError`, never to clients. */
export class WrongReturn extends TypeError {
  override readonly name = 'WrongReturn';
}

/** Advice for return values that JSON encodes as `{}`, keyed by the type name in `Object.prototype.toString()`. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['Map', 'return Object.fromEntries(map) or [...map]'],
  ['Set', 'return [...set]'],
  ['RegExp', 'return String(regexp)'],
  ['Generator', 'return [...generator]'],
  ['AsyncGenerator', 'collect its values with for await'],
  ['Response', 'return await response.text() or await response.json()'],
]);

const PRIMITIVES: ReadonlySet<string> = new Set(['Number', 'String', 'Boolean', 'BigInt']);

const THROW = "throw it; throw new ToolError('...') shows its text to the model";

const BYTES =
  'return image(bytes, mimeType) or audio(bytes, mimeType) of mcpp/server, a resource with a base64 "blob", or text';

/** True for object literals and arrays, also of another realm such as a `node:vm` context. False for instances of classes. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Array.isArray(value) || Object.getPrototypeOf(prototype) === null;
}

/** Description of a value that JSON cannot encode, and advice on what to return instead. */
type Fault = readonly [what: string, remedy: string];

/** Describes a return value that JSON cannot encode, with advice; undefined for other values. Does not look at members. */
export function wrongReturnOf(value: unknown): string | undefined {
  if (typeof value === 'function') return 'a function: call it, and return what it gives';
  if (typeof value === 'symbol') return 'a symbol: return a string';
  const fault = typeof value === 'object' && value !== null && !isPlain(value) ? faultOf(value) : undefined;
  return fault?.join(': ');
}

// Limits of `faultInside`, to bound its time per call: number of members that it checks, and levels of nesting.
const MAX_MEMBERS = 1000;
const MAX_DEPTH = 16;

/** Describes the first nested member that JSON cannot encode, such as a promise without `await`; undefined if there is none. */
function faultInside(value: object): string | undefined {
  let left = MAX_MEMBERS;
  return search(value, '', MAX_DEPTH);

  function search(container: object, path: string, depth: number): string | undefined {
    for (const key of Array.isArray(container) ? container.keys() : Object.keys(container)) {
      if (left-- <= 0) return undefined;
      const member: unknown = (container as Record<string, unknown>)[key];
      if (typeof member !== 'object' || member === null) continue;
      const place = `${path}/${key}`;
      const fault = isPlain(member) ? undefined : faultOf(member);
      if (fault) return `${fault[0]} at ${printable(place, 128)}: ${fault[1]}`;
      const inside = isPlain(member) && depth > 1 ? search(member, place, depth - 1) : undefined;
      if (inside !== undefined) return inside;
    }
    return undefined;
  }
}

function faultOf(value: object): Fault | undefined {
  const name = nameOf(value);
  if (isBytes(value)) return [`bytes (${name})`, BYTES];
  if (isPromise(value)) return ['a Promise', 'an "await" is missing'];
  if (value instanceof Error) return ['an Error', THROW];
  const remedy = REMEDIES.get(tagOf(value));
  if (remedy !== undefined) return [`a ${name}`, remedy];
  if ('toJSON' in value) return undefined;
  if (Symbol.iterator in value || Symbol.asyncIterator in value)
    return [`an iterator (${name})`, 'collect its values in an array'];
  if (Object.keys(value).length > 0 || PRIMITIVES.has(tagOf(value))) return undefined;
  return [`an instance of ${name} without properties of its own`, 'return plain data'];
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

function nameOf(value: object): string {
  const { constructor: type } = value as { constructor?: unknown };
  const name = typeof type === 'function' ? type.name : '';
  return printable(name === '' ? tagOf(value) : name, 64);
}

function jsonOf(value: unknown, name: string): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    const why = findUnencodable(value);
    if (why === undefined) throw cause;
    throw new WrongReturn(`Tool "${name}" returned a result that JSON cannot encode: ${why}`, { cause });
  }
}
