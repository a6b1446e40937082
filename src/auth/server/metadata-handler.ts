/** The protected resource metadata as a handler, for servers and frameworks that have routes (RFC 9728). */

import type { Authenticate } from '../../protocol/http/authenticate.ts';
import { metadataReplies } from '../../protocol/http/protected-resource-metadata.ts';

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

/** The handler for what protects a server: `app.all(metadata.path, metadata)`. */
export function protectedResource(auth: Authenticate): MetadataHandler {
  const resource = auth?.protectedResource;
  if (!resource) {
    throw new TypeError('protectedResource needs what jwt(), introspect() or verifier() gave: this has no metadata');
  }
  const replyTo = metadataReplies(resource);

  function handle(request: NodeMetadataRequest, response: NodeMetadataResponse): void;
  function handle(request: Request, ...context: unknown[]): Response;
  function handle({ method }: NodeMetadataRequest, second?: unknown): Response | undefined {
    const { status, headers: said, body } = replyTo(method);
    const length = { 'content-length': String(new TextEncoder().encode(body).length) };
    const headers = status === 204 ? { ...said } : { ...said, ...length };
    const text = method === 'HEAD' || body === '' ? undefined : body;
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
