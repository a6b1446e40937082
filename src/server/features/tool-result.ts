/** The value that a tool handler returned, as a result: a string, content, a plain object or a whole result. */

import { findUnencodable } from '../../jsonrpc/json/unencodable.ts';
import { isPromise } from '../../jsonrpc/maybe-promise.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { printable } from '../../jsonrpc/printable.ts';
import type { ContentBlock } from '../../protocol/model/content.ts';
import type { CallToolResult } from '../../protocol/model/tools.ts';

/**
 * The result a returned value stands for. With an output schema, anything but a whole result is structured. Throws a
 * `WrongReturn` for what no result can be made of; `name` is the tool's in it.
 */
export function toolResult(value: unknown, hasOutputSchema: boolean, name: string): CallToolResult {
  if (isResult(value, hasOutputSchema)) return value;
  // A schema library may make something of a value that is not JSON, so its output is what counts.
  if (!hasOutputSchema || isBytes(value)) refuseWrong(value, name);
  if (hasToJson(value)) return toolResult(value.toJSON(), hasOutputSchema, name);
  if (hasOutputSchema) return { content: [], structuredContent: value };
  if (value === undefined || value === null) return { content: [] };
  if (isContent(value)) return { content: [value] };
  if (Array.isArray(value) && value.length > 0 && value.some(isContent)) return { content: allContent(value, name) };
  if (typeof value === 'object') return { content: [], structuredContent: value };
  return { content: [{ type: 'text', text: String(value) }] };
}

/** The result with this structured content, which is there as text, too, for clients that know no other. */
export function withStructured(result: CallToolResult, structuredContent: unknown, name: string): CallToolResult {
  if (structuredContent === undefined) return result;
  refuseWrongData(structuredContent, name);
  if (result.content.length > 0 && result.structuredContent === structuredContent) return result;
  const content: readonly ContentBlock[] =
    result.content.length > 0 ? result.content : [{ type: 'text', text: jsonOf(structuredContent, name) }];
  return { ...result, content, structuredContent };
}

/** Throws if no result can be made of a value, or of what it has for members. */
function refuseWrongData(value: unknown, name: string): void {
  const wrong = wrongReturnOf(value);
  if (wrong !== undefined) throw new WrongReturn(`Tool "${name}" returned ${wrong}`);
  const inside = typeof value === 'object' && value !== null ? wrongMember(value) : undefined;
  if (inside !== undefined) throw new WrongReturn(`Tool "${name}" returned an object with ${inside}`);
}

// An object with `content` is meant as a whole result: to take it for data would hide every typing error in it.
function refuseWrong(value: unknown, name: string): void {
  const wrong = wrongReturnOf(value);
  if (wrong !== undefined) throw new WrongReturn(`Tool "${name}" returned ${wrong}`);
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

// With an output schema an object with `content` may be just what the schema describes.
function isResult(value: unknown, hasOutputSchema: boolean): value is CallToolResult {
  if (!isObject(value)) return false;
  const { content, isError } = value;
  if (hasOutputSchema && isError !== true && value['structuredContent'] === undefined) return false;
  return Array.isArray(content) && (isError === undefined || typeof isError === 'boolean') && content.every(isContent);
}

/** True for one piece of content. */
export function isContent(value: unknown): value is ContentBlock {
  return wrongBlock(value) === undefined;
}

// A date, for instance: what JSON makes of it is what it is on the wire.
function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return isObject(value) && typeof value['toJSON'] === 'function';
}

// A Buffer has a toJSON(), whose result fits the schema of any object.
function isBytes(value: unknown): boolean {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/** A handler or a middleware returned something that is no result: a fault of the program, never shown to clients. */
export class WrongReturn extends TypeError {
  override readonly name = 'WrongReturn';
}

/** What to do instead, by the tag of an object (`Object.prototype.toString`). JSON writes most of these as `{}`. */
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

/** True for what JSON writes by its members, whichever realm it is of: object literals and arrays. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return true;
  return Array.isArray(value) || Object.getPrototypeOf(prototype) === null;
}

interface Fault {
  readonly what: string;
  readonly remedy: string;
}

/** What a handler returned that cannot be a result, and the remedy; undefined if JSON can write the value by its members. */
export function wrongReturnOf(value: unknown): string | undefined {
  if (typeof value === 'function') return 'a function: call it, and return what it gives';
  if (typeof value === 'symbol') return 'a symbol: return a string';
  const fault = typeof value === 'object' && value !== null && !isPlain(value) ? faultOf(value) : undefined;
  return fault && `${fault.what}: ${fault.remedy}`;
}

/** How many members are looked at, and how deep: the search is part of every call. */
const MAX_MEMBERS = 1000;
const MAX_DEPTH = 16;

/** The same for the members of an object or an array, and for theirs: an `await` is forgotten most often in there. */
function wrongMember(value: object): string | undefined {
  const found = search(value, MAX_DEPTH, { left: MAX_MEMBERS });
  return found && `${found.what} at ${printable(found.place, 128)}: ${found.remedy}`;
}

interface Budget {
  left: number;
}

function search(value: object, depth: number, budget: Budget): (Fault & { readonly place: string }) | undefined {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && budget.left > 0; index++) {
      const found = searchMember(value[index], index, depth, budget);
      if (found) return found;
    }
    return undefined;
  }
  for (const key in value) {
    if (budget.left <= 0) return undefined;
    const found = searchMember((value as Record<string, unknown>)[key], key, depth, budget);
    if (found) return found;
  }
  return undefined;
}

function searchMember(member: unknown, key: string | number, depth: number, budget: Budget): ReturnType<typeof search> {
  budget.left--;
  if (typeof member !== 'object' || member === null) return undefined;
  if (!isPlain(member)) {
    const fault = faultOf(member);
    return fault && { ...fault, place: `/${key}` };
  }
  const found = depth > 1 ? search(member, depth - 1, budget) : undefined;
  return found && { ...found, place: `/${key}${found.place}` };
}

function faultOf(value: object): Fault | undefined {
  const name = nameOf(value);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return { what: `bytes (${name})`, remedy: BYTES };
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
  const { constructor: made } = value as { constructor?: unknown };
  const name = typeof made === 'function' ? made.name : '';
  return printable(name === '' ? tagOf(value) : name, 64);
}

/** The JSON of a structured result; what JSON cannot write is a fault of the tool, with its place. */
export function jsonOf(value: unknown, name: string): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    const why = findUnencodable(value);
    throw why === undefined
      ? cause
      : new WrongReturn(`Tool "${name}" returned a result that is no JSON: ${why}`, { cause });
  }
}

/** The members that each type of content needs, all of them strings. */
const FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource_link', ['uri', 'name']],
]);

/** What is wrong with `content` of a result, with the place. */
function wrongContent(content: unknown): string | undefined {
  if (!Array.isArray(content)) return '/content must be an array, such as [{ type: "text", text: "..." }]';
  for (const [index, block] of content.entries()) {
    const wrong = wrongBlock(block);
    if (wrong !== undefined) return `/content/${index}${wrong}`;
  }
  return undefined;
}

/** What is wrong with one piece of content, beginning with the place; undefined if it is content. */
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
