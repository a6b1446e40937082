/** Serves the protected resource metadata (RFC 9728) of an endpoint. */

import type { HttpRequest, ProtectedResource } from '../../../protocol/http/authenticate.ts';
import { metadataReplies } from '../../../protocol/http/protected-resource-metadata.ts';
import type { HttpExchange } from './http-exchange.ts';

/** Path of the metadata if the resource is the whole origin (RFC 9728, section 3.1). */
const ROOT = '/.well-known/oauth-protected-resource';

export interface Metadata {
  /** True for requests to a path of the metadata document. */
  isFor(request: HttpRequest): boolean;
  /** Responds to a request for the document. Returns the HTTP status. */
  answer(http: HttpExchange): number;
}

/** Returns undefined without a resource. With `ownsOrigin`, the document is also served at the path for the whole origin. */
export function metadataOf(resource: ProtectedResource | undefined, ownsOrigin: boolean): Metadata | undefined {
  if (!resource) return undefined;
  const { metadataUrl } = resource;
  if (!URL.canParse(metadataUrl)) throw new TypeError('auth: protectedResource.metadataUrl must be an absolute URL');
  const { pathname } = new URL(metadataUrl);
  const paths = new Set(ownsOrigin ? [pathname, ROOT] : [pathname]);
  const replyTo = metadataReplies(resource);
  return {
    isFor: ({ target }) => paths.has(target.split('?', 1)[0] ?? ''),
    answer(http) {
      const { status, headers, body } = replyTo(http.method);
      http.reply(status, headers, body === '' ? undefined : body);
      return status;
    },
  };
}
