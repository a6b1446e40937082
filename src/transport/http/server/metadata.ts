/** Protected resource metadata (RFC 9728): shows everybody how to be let in. */

import { serialize } from '../../../jsonrpc/message.ts';
import type { HttpRequest, ProtectedResource } from '../../../protocol/http-request.ts';
import { preflightFields } from './cors.ts';
import type { Fields, HttpExchange } from './http-exchange.ts';
import { methodNotAllowed } from './refusal.ts';
import { errorResponse } from './visit.ts';

/** Where it is if there is but one resource at an origin. */
const ROOT = '/.well-known/oauth-protected-resource';
const METHODS = 'GET, HEAD, OPTIONS';
const PUBLIC: Fields = { 'access-control-allow-origin': '*' };
const JSON_TYPE: Fields = { ...PUBLIC, 'content-type': 'application/json' };
const DOCUMENT: Fields = { ...JSON_TYPE, 'cache-control': 'public, max-age=300' };

/** The document, and where it is. */
export interface Metadata {
  /** True for a request for it. */
  isFor(request: HttpRequest): boolean;
  /** Answers such a request. */
  answer(http: HttpExchange): void;
}

/** What an endpoint shows; whoever owns its whole origin shows it at the root, too. */
export function metadataOf(resource: ProtectedResource | undefined, ownsOrigin: boolean): Metadata | undefined {
  if (!resource) return undefined;
  // Nothing of it comes from the request: whoever asks cannot change where others are sent.
  const document = JSON.stringify(resource.metadata);
  const { metadataUrl } = resource;
  if (!URL.canParse(metadataUrl)) throw new TypeError('auth: protectedResource.metadataUrl must be an absolute URL');
  const { pathname } = new URL(metadataUrl);
  const paths = new Set(ownsOrigin ? [pathname, ROOT] : [pathname]);
  return {
    isFor: ({ target }) => paths.has(target.split('?', 1)[0] ?? ''),
    answer(http) {
      const { method } = http;
      if (method === 'OPTIONS') http.reply(204, { ...PUBLIC, allow: METHODS, ...preflightFields(http, METHODS) });
      else if (method === 'GET' || method === 'HEAD') http.reply(200, DOCUMENT, document);
      else {
        const { status, error, fields } = methodNotAllowed(METHODS);
        http.reply(status, { ...JSON_TYPE, ...fields }, serialize(errorResponse(error)));
      }
    },
  };
}
