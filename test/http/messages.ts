/** The messages most tests send, and the header fields that go with them. */

/** Header fields by name. */
export type Headers = Readonly<Record<string, string>>;

/** A JSON-RPC message. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: number | string;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** What every POST has. */
export const POST: Headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** What every stateless request says of itself. */
export const CLAIM: Readonly<Record<string, unknown>> = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of 2026-07-28. */
export function stateless(id: number | string, method: string, params: Record<string, unknown> = {}): Message {
  const meta = (params['_meta'] ?? {}) as object;
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...CLAIM, ...meta } } };
}

/** Its header fields. */
export function statelessHeaders({ method, params = {} }: Message): Headers {
  const name = params['name'] ?? params['uri'];
  return {
    ...POST,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  };
}

/** A call of a tool, in a session or as one of 2026-07-28. */
export function call(id: number | string, name: string, args: object = {}, isStateless = false): Message {
  const params = { name, arguments: args, _meta: { progressToken: `p${id}` } };
  return isStateless ? stateless(id, 'tools/call', params) : { jsonrpc: '2.0', id, method: 'tools/call', params };
}

/** The request that opens a session. */
export function initialize(version = '2025-11-25', capabilities: object = {}): Message {
  const clientInfo = { name: 'test', version: '1' };
  return {
    jsonrpc: '2.0',
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: version, capabilities, clientInfo },
  };
}

/** A notification. */
export function notification(method: string, params?: Record<string, unknown>): Message {
  return params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method };
}
