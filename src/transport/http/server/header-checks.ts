/** Compares the `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` header fields with the body. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import { messageObjectOf, type Payload } from '../../../jsonrpc/json/parse-message.ts';
import { isBatch, isObject, type Params, type Request } from '../../../jsonrpc/message.ts';
import { McpErrorCode, unsupportedVersion } from '../../../protocol/errors.ts';
import type { HttpRequest } from '../../../protocol/http/authenticate.ts';
import { argumentText, decodeHeaderValue, paramHeaders } from '../../../protocol/http/http-headers.ts';
import { mcpNameOf } from '../../../protocol/methods.ts';
import { isServed, revisionNamed } from '../../../protocol/revision-of-message.ts';
import { callerOf } from '../../../protocol/stateless/caller.ts';
import type { RequestAdmission } from '../../../server/handle-request.ts';
import type { HttpExchange } from './http-exchange.ts';

const PLAIN = /^[\t -~]*$/;
const SENT = /^mcp-(?:method|name|param-.*)$/;
const NAMED = 'what the request is about';
// Matches values that the header encoding leaves unchanged.
const SIMPLE = /^[\w./-]+$/;

/** Returns revision and caller of a stateless request. Throws an `RpcError`, sent with 400, if `_meta` or a header is wrong. */
export function checkHeaders(
  http: HttpRequest,
  request: Request,
  claim: unknown,
  served: readonly string[],
  mcpNames: ReadonlyMap<string, string>,
): RequestAdmission {
  const params = isObject(request.params) ? request.params : {};
  // A malformed `_meta` is reported before wrong headers.
  const caller = callerOf(params);
  const version = http.header('mcp-protocol-version');
  const method = http.header('mcp-method');
  if (version !== undefined && version !== claim) throw mismatch('MCP-Protocol-Version', 'the version');
  if (method !== undefined && method !== request.method) throw mismatch('Mcp-Method', 'the method');
  if (!isServed(claim, served, 'stateless')) throw unsupportedVersion(String(claim), served);
  if (version === undefined) throw missing('MCP-Protocol-Version');
  if (method === undefined) throw missing('Mcp-Method');
  const name = mcpNameOf(request.method, params, mcpNames);
  const sentName = http.header('mcp-name');
  if (name !== undefined) checkName(sentName, name);
  else if (sentName !== undefined) checkSentName(sentName, params);
  return { revision: revisionNamed(claim), caller };
}

/** Throws if an optional `Mcp-*` header contradicts the body, because gateways can route and authorize by these headers. */
export function checkSentHeaders(
  http: HttpExchange,
  payload: Payload,
  mcpNames: ReadonlyMap<string, string>,
  schemaOf: (tool: unknown) => object | undefined,
): void {
  if (isBatch(payload)) {
    for (const name of http.headers.keys()) if (SENT.test(name)) throw inBatch(name);
    return;
  }
  const method = http.header('mcp-method');
  const name = http.header('mcp-name');
  const call = messageObjectOf(payload);
  if (method !== undefined && method !== call?.method) throw mismatch('Mcp-Method', 'the method');
  const params = isObject(call?.params) ? call.params : {};
  if (name !== undefined) {
    const expected = call && mcpNameOf(call.method, params, mcpNames);
    if (expected === undefined) checkSentName(name, params);
    else checkName(name, expected);
  }
  const schema = call?.method === 'tools/call' ? schemaOf(params['name']) : undefined;
  const headers = schema ? headersOf(schema) : NONE;
  if (headers.size > 0) checkParamHeaders(http, params['arguments'], headers, false);
}

type Headers = ReadonlyMap<string, readonly string[]>;

const NONE: Headers = new Map();
const annotations = new WeakMap<object, Headers>();

/** Returns the argument paths of a tool's `Mcp-Param-*` headers, keyed by header; empty if an `x-mcp-header` is invalid. */
export function headersOf(inputSchema: object): Headers {
  const known = annotations.get(inputSchema);
  if (known) return known;
  const read = paramHeaders(inputSchema);
  const headers = 'fault' in read ? NONE : read.headers;
  annotations.set(inputSchema, headers);
  return headers;
}

/** Throws if an `Mcp-Param-*` header differs from its argument, or, with `areNeeded`, if the header is missing. */
export function checkParamHeaders(http: HttpRequest, args: unknown, headers: Headers, areNeeded = true): void {
  for (const [name, path] of headers) {
    const header = `Mcp-Param-${name}`;
    const value = http.header(header.toLowerCase());
    const expected = argumentText(args, path);
    if (value === undefined && (expected === undefined || !areNeeded)) continue;
    if (value === undefined) throw missing(header);
    const given = PLAIN.test(value) ? decodeHeaderValue(value) : undefined;
    if (given === undefined) throw malformed(header);
    if (given !== expected && !isSameNumber(given, args, path)) throw mismatch(header, 'the argument');
  }
}

function checkName(value: string | undefined, name: string): void {
  // Fast path: most names need no decoding.
  if (value === name && SIMPLE.test(value)) return;
  if (value === undefined) throw missing('Mcp-Name');
  const decoded = PLAIN.test(value) ? decodeHeaderValue(value) : undefined;
  if (decoded === undefined) throw malformed('Mcp-Name');
  if (decoded !== name) throw mismatch('Mcp-Name', NAMED);
}

// Checks `Mcp-Name` for a method that does not require it: the value must be `name` or `uri` of the params.
function checkSentName(value: string, { name, uri }: Params): void {
  const expected = name ?? uri;
  if (typeof expected !== 'string') throw mismatch('Mcp-Name', NAMED);
  checkName(value, expected);
}

// True if the header is another notation of the argument's number, such as `42.0` for 42.
function isSameNumber(given: string, args: unknown, path: readonly string[]): boolean {
  let at: unknown = args;
  for (const step of path) at = isObject(at) ? at[step] : undefined;
  return typeof at === 'number' && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(given) && Number(given) === at;
}

function mismatch(header: string, what: string): RpcError {
  return new RpcError(McpErrorCode.HeaderMismatch, `The header ${header} is not ${what} in the body`);
}

function inBatch(header: string): RpcError {
  return new RpcError(
    McpErrorCode.HeaderMismatch,
    `The header ${header} cannot be compared with a batch: leave it out`,
  );
}

function missing(header: string): RpcError {
  return new RpcError(McpErrorCode.HeaderMismatch, `The header ${header} is missing`);
}

function malformed(header: string): RpcError {
  return new RpcError(McpErrorCode.HeaderMismatch, `The header ${header} is malformed`);
}
