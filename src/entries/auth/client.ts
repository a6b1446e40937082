/** `mcpp/auth/client`: authorization of clients, by OAuth or with a bearer token. */

export type { AuthOptions } from '../../auth/client/auth.ts';
export { bearer } from '../../auth/client/bearer.ts';
export type { ClientPrivateKey } from '../../auth/client/client-auth.ts';
export { type ClientCredentialsOptions, clientCredentials } from '../../auth/client/client-credentials.ts';
export { type DeviceCodeOptions, deviceCode } from '../../auth/client/device-code.ts';
export type { DeviceCode } from '../../auth/client/device-grant.ts';
export {
  type EnterpriseManagedOptions,
  enterpriseManaged,
  type IdentityProvider,
} from '../../auth/client/enterprise-managed.ts';
export { type FileStoreOptions, fileStore } from '../../auth/client/file-store.ts';
export { memoryStore } from '../../auth/client/memory-store.ts';
export { type AuthorizeContext, type OAuth, type OAuthOptions, oauth } from '../../auth/client/oauth.ts';
export type { ClientOptions } from '../../auth/client/registrar.ts';
export type { CredentialStore, Json } from '../../auth/client/store.ts';
export {
  type AssertionTarget,
  type WorkloadIdentityOptions,
  workloadIdentity,
} from '../../auth/client/workload-identity.ts';
export { type AuthChallenge, AuthError, type AuthStep } from '../../auth/errors.ts';
export type { ClientAuth } from '../../client/http-options.ts';
