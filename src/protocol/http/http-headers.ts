/** Encoding of `Mcp-*` header values, and the tool arguments that are repeated in `Mcp-Param-*` headers. */

import { fromBase64, toBase64 } from '../../jsonrpc/base64.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { DATA_KEYWORDS, NAMED_MEMBERS } from '../model/tools.ts';

/** Argument paths, keyed by header name without `Mcp-Param-`; or `fault`, the reason why the tool definition is invalid. */
export type ParamHeaders = { readonly headers: ReadonlyMap<string, readonly string[]> } | { readonly fault: string };

const annotation = 'x-mcp-header';
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const carriers: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

// Maximum nesting of a schema, and maximum number of its objects and arrays. Schemas beyond these limits are refused.
const maxDepth = 200;
const maxVisited = 100_000;

/** Returns the `Mcp-Param-*` headers that a tool's input schema defines with `x-mcp-header`, or the first fault. */
export function paramHeaders(inputSchema: unknown): ParamHeaders {
  const headers = new Map<string, readonly string[]>();
  const taken = new Set<string>();
  let visited = 0;
  const fault = read(inputSchema, [], true, 0);
  return fault === undefined ? { headers } : { fault };

  /** Returns the first fault in `schema`. `reachable` is true if only `properties` keywords lead to `schema`. */
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
    // HTTP header names are case-insensitive.
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

// Names are shortened before they are joined, because a name in a received schema can be megabytes long.
function shown(path: readonly string[]): string {
  const name = path.map((one) => one.slice(0, 60)).join('.');
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name);
}

const PREFIX = '=?base64?';
const SUFFIX = '?=';
// Matches visible ASCII with spaces inside, which every HTTP implementation transmits unchanged.
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/** Encodes text as a header value: unchanged if possible, else as `=?base64?...?=`. */
export function encodeHeaderValue(text: string): string {
  if (PLAIN.test(text) && !isMarked(text)) return text;
  return `${PREFIX}${toBase64(new TextEncoder().encode(text))}${SUFFIX}`;
}

/** Decodes a header value. Returns undefined if a `=?base64?...?=` value is malformed. */
export function decodeHeaderValue(value: string): string | undefined {
  if (!isMarked(value)) return value;
  const encoded = value.slice(PREFIX.length, -SUFFIX.length);
  try {
    const bytes = fromBase64(encoded);
    // Refuses white space, missing padding and non-zero unused bits, so that each text has only one valid encoding.
    if (!bytes || toBase64(bytes) !== encoded) return undefined;
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the argument at a path as text; undefined unless the argument is a string, a safe integer or a boolean. */
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
