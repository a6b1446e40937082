/** The protected resource metadata as a handler, for servers and frameworks that have routes (RFC 9728). */

import type { Authenticate } from '../../protocol/http-request.ts';

/** A request as Node's HTTP server has it. */
export interface NodeMetadataRequest {
  readonly method?: string | undefined;
}

/** A response as Node's HTTP server has it. */
export interface NodeMetadataResponse {
  /** Begins the answer. */
  writeHead(status: number, headers: Record<string, string>): unknown;
  /** Ends it. */
  end(body?: string): unknown;
}

/** Answers requests for the metadata; where it is mounted is `path`. */
export interface MetadataHandler {
  /** For Node's HTTP server and frameworks that are built on it. */
  (request: NodeMetadataRequest, response: NodeMetadataResponse): void;
  /** For everything that has `Request` and `Response`. */
  (request: Request, ...context: unknown[]): Response;
  /** The path that clients look at, as `/.well-known/oauth-protected-resource/mcp`. */
  readonly path: string;
}

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

const METHODS = 'GET, HEAD, OPTIONS';
// It is public, and web pages that are MCP clients need it.
const CORS = { 'access-control-allow-origin': '*' };
const PREFLIGHT = {
  ...CORS,
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
};

/** The handler for what protects a server: `app.all(metadata.path, metadata)`. */
export function protectedResource(auth: Authenticate): MetadataHandler {
  const resource = auth?.protectedResource;
  if (!resource) {
    throw new TypeError('protectedResource needs what jwt(), introspect() or verifier() gave: this has no metadata');
  }
  const body = JSON.stringify(resource.metadata);
  const shown = {
    ...CORS,
    'content-type': 'application/json',
    'content-length': String(new TextEncoder().encode(body).length),
    'cache-control': 'public, max-age=300',
  };
  const replies: ReadonlyMap<string | undefined, Reply> = new Map([
    ['GET', { status: 200, headers: shown, body }],
    ['HEAD', { status: 200, headers: shown }],
    ['OPTIONS', { status: 204, headers: { allow: METHODS, ...PREFLIGHT } }],
  ]);
  const notAllowed: Reply = { status: 405, headers: { allow: METHODS, 'content-length': '0', ...CORS } };

  function handle(request: NodeMetadataRequest, response: NodeMetadataResponse): void;
  function handle(request: Request, ...context: unknown[]): Response;
  function handle({ method }: NodeMetadataRequest, second?: unknown): Response | undefined {
    const { status, headers, body: text } = replies.get(method) ?? notAllowed;
    // Many runtimes that have `Request` pass something else of theirs as well.
    if (!isNodeResponse(second)) return new Response(text ?? null, { status, headers });
    second.writeHead(status, headers);
    second.end(text);
    return undefined;
  }
  return Object.assign(handle, { path: new URL(resource.metadataUrl).pathname });
}

function isNodeResponse(value: unknown): value is NodeMetadataResponse {
  return typeof (value as { writeHead?: unknown } | undefined | null)?.writeHead === 'function';
}
