/** `mcpp/auth/server`: authentication of HTTP requests by access token. */

export { AuthError, type AuthStep } from '../../auth/errors.ts';
export type { ClientCredentials } from '../../auth/server/client-credentials.ts';
export { type IntrospectOptions, introspect } from '../../auth/server/introspect.ts';
export { type JwtOptions, jwt } from '../../auth/server/jwt.ts';
export {
  type MetadataHandler,
  type NodeMetadataRequest,
  type NodeMetadataResponse,
  protectedResource,
} from '../../auth/server/metadata-handler.ts';
export type { ExpectedClaims, OnRefused, RefusedToken } from '../../auth/server/refused.ts';
export type { OnError } from '../../auth/server/report.ts';
export type { ResourceAuth, ResourceOptions } from '../../auth/server/resource.ts';
export type { ReceivedClaims } from '../../auth/server/token.ts';
export { type VerifierOptions, verifier } from '../../auth/server/verifier.ts';
export type {
  Authenticate,
  Challenge,
  Credentials,
  HttpRequest,
  ProtectedResource,
} from '../../protocol/http/authenticate.ts';
export type { Principal } from '../../protocol/principal.ts';
export type { ProofStore, ProofUse } from '../../store/proof-store.ts';
