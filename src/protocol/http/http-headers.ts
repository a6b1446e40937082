/** Header fields of MCP over HTTP: encoding of `Mcp-*` values, and the tool arguments that are repeated as `Mcp-Param-*`. */

import { fromBase64, toBase64 } from '../../jsonrpc/base64.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { DATA_KEYWORDS, NAMED_MEMBERS } from '../model/tools.ts';

/** Suffixes of `Mcp-Param-*` header names, each with the path of its argument; or the reason why the annotations are invalid. */
export type ParamHeaders =
  | { readonly headers: ReadonlyMap<string, readonly string[]> }
  /** Why an annotation is invalid. The whole tool definition is then invalid. */
  | { readonly fault: string };

const annotation = 'x-mcp-header';
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// JSON Schema types of arguments that a header can carry.
const carriers: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

// Limits of received schemas: levels of nesting, and number of objects and arrays that are read.
const maxDepth = 200;
const maxVisited = 100_000;

/** Reads the `x-mcp-header` annotations of a tool's input schema. Header names are returned without the prefix `Mcp-Param-`. */
export function paramHeaders(inputSchema: unknown): ParamHeaders {
  const headers = new Map<string, readonly string[]>();
  const taken = new Set<string>();
  let visited = 0;
  const fault = read(inputSchema, [], true, 0);
  return fault === undefined ? { headers } : { fault };

  /** Reads a schema and its subschemas. `reachable` is true if `path` leads only through `properties`. */
  function read(schema: unknown, path: readonly string[], reachable: boolean, depth: number): string | undefined {
    if (typeof schema !== 'object' || schema === null) return undefined;
    if (depth > maxDepth || ++visited > maxVisited) return 'the schema is too large or nested too deep';
    if (Array.isArray(schema)) return first(schema, (each) => read(each, path, false, depth + 1));
    if (Object.hasOwn(schema, annotation)) {
      const refused = annotate(schema as Schema, path, reachable);
      if (refused !== undefined) return refused;
    }
    return first(Object.entries(schema), ([keyword, value]) => {
      if (keyword === annotation || DATA_KEYWORDS.has(keyword)) return undefined;
      if (!NAMED_MEMBERS.has(keyword)) return read(value, path, false, depth + 1);
      if (typeof value !== 'object' || value === null) return undefined;
      const reaches = reachable && keyword === 'properties';
      return first(Object.entries(value), ([name, each]) => read(each, [...path, name], reaches, depth + 1));
    });
  }

  function annotate(schema: Schema, path: readonly string[], reachable: boolean): string | undefined {
    const name = schema[annotation];
    if (!reachable || path.length === 0)
      return `${annotation} is only allowed on properties that are reached through "properties" alone`;
    const at = (): string => `${annotation} of ${shown(path)}`;
    if (typeof name !== 'string' || !token.test(name))
      return `${at()} must be an HTTP token: letters, digits and !#$%&'*+-.^_\`|~`;
    if (!carriers.has(schema.type)) return `${at()} needs a property of type string, integer or boolean`;
    // The lower-case name is compared, since header names are case-insensitive.
    if (taken.has(name.toLowerCase())) return `${at()} names a header that another property has`;
    taken.add(name.toLowerCase());
    headers.set(name, path);
    return undefined;
  }
}

interface Schema {
  readonly [annotation]?: unknown;
  readonly type?: unknown;
}

function first<T>(items: readonly T[], read: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = read(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

// Names are shortened before they are joined: a received schema may have names of megabytes.
function shown(path: readonly string[]): string {
  const name = path.map((one) => one.slice(0, 60)).join('.');
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name);
}

const PREFIX = '=?base64?';
const SUFFIX = '?=';
// Matches visible ASCII with spaces inside, which every HTTP implementation transmits unchanged.
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Encodes text as a header value: unchanged if possible, else as `=?base64?...?=`. */
export function encodeHeaderValue(text: string): string {
  if (PLAIN.test(text) && !isMarked(text)) return text;
  return `${PREFIX}${toBase64(new TextEncoder().encode(text))}${SUFFIX}`;
}

/** Decodes a header value. Returns undefined if it is marked as base64 but malformed. */
export function decodeHeaderValue(value: string): string | undefined {
  if (!isMarked(value)) return value;
  const encoded = value.slice(PREFIX.length, -SUFFIX.length);
  try {
    const bytes = fromBase64(encoded);
    // The comparison refuses white space, missing padding and unused bits that are not zero, so that each text has one encoding.
    return bytes && toBase64(bytes) === encoded ? utf8.decode(bytes) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the argument at a path as text; undefined if it is missing or not a string, integer or boolean. */
export function argumentText(args: unknown, path: readonly string[]): string | undefined {
  let at: unknown = args;
  for (const step of path) {
    if (!isObject(at) || !Object.hasOwn(at, step)) return undefined;
    at = at[step];
  }
  return typeof at === 'string' || typeof at === 'boolean' || Number.isSafeInteger(at) ? String(at) : undefined;
}

function isMarked(value: string): boolean {
  return value.length >= PREFIX.length + SUFFIX.length && value.startsWith(PREFIX) && value.endsWith(SUFFIX);
}
