/** Protected resource metadata (RFC 9728): shows everybody how to be let in. */

import type { HttpRequest, ProtectedResource } from '../../../protocol/http/authenticate.ts';
import { metadataReplies } from '../../../protocol/http/protected-resource-metadata.ts';
import type { HttpExchange } from './http-exchange.ts';

/** Where it is if there is but one resource at an origin. */
const ROOT = '/.well-known/oauth-protected-resource';

/** The document, and where it is. */
export interface Metadata {
  /** True for a request for it. */
  isFor(request: HttpRequest): boolean;
  /** Answers such a request; returns the status. */
  answer(http: HttpExchange): number;
}

/** What an endpoint shows; whoever owns its whole origin shows it at the root, too. */
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
