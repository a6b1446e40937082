/** Protected resource metadata (RFC 9728) as a request handler, for servers and frameworks with routes. */

import type { Authenticate } from '../../protocol/http/authenticate.ts';
import { metadataReplies } from '../../protocol/http/protected-resource-metadata.ts';

/** The part of Node's `IncomingMessage` that the handler uses. */
export interface NodeMetadataRequest {
  readonly method?: string | undefined;
}

/** The part of Node's `ServerResponse` that the handler uses. */
export interface NodeMetadataResponse {
  /** Sends status and header fields. */
  writeHead(status: number, headers: Record<string, string>): unknown;
  /** Ends the response. */
  end(body?: string): unknown;
}

/** Handler of requests for the metadata, to be mounted at `path`. */
export interface MetadataHandler {
  /** Handles requests of Node's HTTP server and of frameworks that are based on it. */
  (request: NodeMetadataRequest, response: NodeMetadataResponse): void;
  /** Handles web `Request` objects. */
  (request: Request, ...context: unknown[]): Response;
  /** Path at which clients request the metadata, such as `/.well-known/oauth-protected-resource/mcp`. */
  readonly path: string;
}

/** Creates the metadata handler for an authenticator. Usage: `app.all(metadata.path, metadata)`. */
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
    // Many runtimes pass another argument after the `Request`.
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
