/** Converts the return value of a tool handler to a result, and refuses values that are no results. */

import { findUnencodable } from '../../jsonrpc/json/unencodable.ts';
import { isPromise } from '../../jsonrpc/maybe-promise.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { printable } from '../../jsonrpc/printable.ts';
import type { ContentBlock } from '../../protocol/model/content.ts';
import type { CallToolResult } from '../../protocol/model/tools.ts';

/**
 * Converts the return value of a tool handler to a result. With an output schema, a value that is no complete result becomes
 * `structuredContent`. Throws a `WrongReturn` with the tool's name for values that are no results.
 */
export function toolResult(value: unknown, hasOutputSchema: boolean, name: string): CallToolResult {
  if (isResult(value, hasOutputSchema)) return value;
  // With an output schema only bytes are refused here: the schema may convert other values to JSON.
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

// Throws for a value that JSON cannot encode, and for an object with `content` that is no valid result: sent as data, the mistake
// would go unnoticed.
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

// With an output schema, an object with `content` but without `structuredContent` may be data that fits the schema.
function isResult(value: unknown, hasOutputSchema: boolean): value is CallToolResult {
  if (!isObject(value)) return false;
  const { content, isError } = value;
  if (hasOutputSchema && isError !== true && value['structuredContent'] === undefined) return false;
  return Array.isArray(content) && (isError === undefined || typeof isError === 'boolean') && content.every(isContent);
}

/** True for a content block. */
export function isContent(value: unknown): value is ContentBlock {
  return wrongBlock(value) === undefined;
}

// True for objects such as a Date, which JSON encodes as the return value of their `toJSON`.
function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return isObject(value) && typeof value['toJSON'] === 'function';
}

// A Buffer needs a check of its own: it has a `toJSON`, whose return value fits the schema of any object.
function isBytes(value: unknown): boolean {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/** Error of a handler or middleware that returned a value that is no result. Its message goes to `onError`, never to clients. */
export class WrongReturn extends TypeError {
  override readonly name = 'WrongReturn';
}

/** Advice for error messages: what to return instead of an object that JSON encodes as `{}`, by `Object.prototype.toString`. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['Map', 'return Object.fromEntries(map) or [...map]'],
  ['Set', 'return [...set]'],
  ['WeakMap', 'return plain data'],
  ['WeakSet', 'return plain data'],
  ['WeakRef', 'return plain data'],
  ['RegExp', 'return String(regexp)'],
  ['Promise', 'await it'],
  ['Generator', 'return [...generator]'],
  ['AsyncGenerator', 'collect its values with for await'],
  ['Response', 'return await response.text() or await response.json()'],
  ['Request', 'return plain data'],
  ['Headers', 'return Object.fromEntries(headers)'],
  ['FormData', 'return Object.fromEntries(formData)'],
  ['URLSearchParams', 'return String(params) or Object.fromEntries(params)'],
  ['ReadableStream', 'read it and return its text'],
  ['Blob', 'return its text, or image() or audio() of mcpp/server with its bytes'],
  ['File', 'return its text, or image() or audio() of mcpp/server with its bytes'],
]);

const PRIMITIVES: ReadonlySet<string> = new Set(['Number', 'String', 'Boolean', 'BigInt']);

const THROW = "throw it; throw new ToolError('...') shows its text to the model";

const BYTES =
  'return image(bytes, mimeType) or audio(bytes, mimeType) of mcpp/server, a resource with a base64 "blob", or text';

/** True for object literals and arrays, also from another realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return true;
  return Array.isArray(value) || Object.getPrototypeOf(prototype) === null;
}

/** A value that JSON cannot encode, in the return value of a handler. */
interface Fault {
  readonly what: string;
  readonly remedy: string;
  /** JSON pointer to the value; undefined if it is the return value itself. */
  readonly place?: string;
}

/** Describes a return value that JSON cannot encode, and what to return instead. Undefined for other values. */
export function wrongReturnOf(value: unknown): string | undefined {
  if (typeof value === 'function') return 'a function: call it, and return what it gives';
  if (typeof value === 'symbol') return 'a symbol: return a string';
  const fault = typeof value === 'object' && value !== null && !isPlain(value) ? faultOf(value) : undefined;
  return fault && `${fault.what}: ${fault.remedy}`;
}

/** Maximum members of `structuredContent` that are searched for values that JSON cannot encode. Bounds the time per call. */
const MAX_MEMBERS = 1000;
/** Maximum depth of that search. */
const MAX_DEPTH = 16;

/** The number of members that the search may still visit. */
interface Budget {
  left: number;
}

/** Describes the first member, at a depth up to `MAX_DEPTH`, that JSON cannot encode, such as a promise without `await`. */
function faultInside(value: object): string | undefined {
  const fault = findFault(value, MAX_DEPTH, { left: MAX_MEMBERS });
  return fault && `${fault.what} at ${printable(fault.place ?? '', 128)}: ${fault.remedy}`;
}

function findFault(value: object, depth: number, budget: Budget): Fault | undefined {
  let fault: Fault | undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && budget.left > 0 && !fault; index++) {
      fault = faultAt(value[index], index, depth, budget);
    }
    return fault;
  }
  for (const key in value) {
    if (budget.left <= 0) return undefined;
    fault = faultAt((value as Record<string, unknown>)[key], key, depth, budget);
    if (fault) return fault;
  }
  return undefined;
}

function faultAt(member: unknown, key: string | number, depth: number, budget: Budget): Fault | undefined {
  budget.left--;
  if (typeof member !== 'object' || member === null) return undefined;
  const fault = !isPlain(member) ? faultOf(member) : depth > 1 ? findFault(member, depth - 1, budget) : undefined;
  return fault && { ...fault, place: `/${key}${fault.place ?? ''}` };
}

function faultOf(value: object): Fault | undefined {
  const name = nameOf(value);
  if (isBytes(value)) return { what: `bytes (${name})`, remedy: BYTES };
  if (isPromise(value)) return { what: 'a Promise', remedy: 'an "await" is missing' };
  if (value instanceof Error) return { what: 'an Error', remedy: THROW };
  const remedy = REMEDIES.get(tagOf(value));
  if (remedy !== undefined) return { what: `a ${name}`, remedy };
  if ('toJSON' in value) return undefined;
  if (Symbol.iterator in value || Symbol.asyncIterator in value) {
    return { what: `an iterator (${name})`, remedy: 'collect its values in an array' };
  }
  if (Object.keys(value).length > 0 || PRIMITIVES.has(tagOf(value))) return undefined;
  const what = `an instance of ${name} without properties of its own`;
  return { what, remedy: 'return plain data, or give it a toJSON()' };
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

/** Required members of a content block, by its `type`. All are strings. */
const FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource_link', ['uri', 'name']],
]);

/** Describes the first problem of the `content` of a result, with its JSON pointer. Undefined if there is none. */
function wrongContent(content: unknown): string | undefined {
  if (!Array.isArray(content)) return '/content must be an array, such as [{ type: "text", text: "..." }]';
  for (const [index, block] of content.entries()) {
    const wrong = wrongBlock(block);
    if (wrong !== undefined) return `/content/${index}${wrong}`;
  }
  return undefined;
}

/** Describes the first problem of a content block, with a JSON pointer in front. Undefined if there is none. */
function wrongBlock(block: unknown): string | undefined {
  if (!isObject(block)) return ' must be an object with "type"';
  const { type, resource } = block;
  if (type === 'resource') {
    const hasUri = isObject(resource) && typeof resource['uri'] === 'string';
    return hasUri ? undefined : '/resource must be an object with "uri"';
  }
  const fields = FIELDS.get(type);
  if (!fields) return '/type must be "text", "image", "audio", "resource_link" or "resource"';
  for (const field of fields) if (typeof block[field] !== 'string') return `/${field} must be a string`;
  return undefined;
}
