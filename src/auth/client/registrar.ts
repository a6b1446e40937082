/** As whom a client appears at an authorization server: as configured, by its metadata document, or registered anew. */

import { isObject } from '../../jsonrpc/message.ts';
import type { ClientIdentity, ClientPrivateKey } from './client-auth.ts';
import type { GrantContext } from './grant.ts';
import { type Place, place } from './records.ts';
import { type Registration, readRegistration, registrationRequest } from './registration.ts';
import { formatScopes } from './scopes.ts';
import type { CredentialStore } from './store.ts';
import { isLoopbackHost } from './targets.ts';

/** What a client can say of itself. */
export interface RegistrarOptions {
  /** As it was registered beforehand. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly privateKey?: ClientPrivateKey | undefined;
  /** Where its metadata document is. */
  readonly clientMetadataUrl?: string | undefined;
  /** How it is called when it is registered. */
  readonly clientName?: string | undefined;
  readonly clientUri?: string | undefined;
  /** What it is going to ask for tokens with. */
  readonly grantTypes: readonly string[];
}

const DEFAULT_NAME = 'MCP client';

/** Finds out as whom the client appears. */
export class Registrar {
  readonly #options: RegistrarOptions;

  constructor(options: RegistrarOptions) {
    this.#options = options;
  }

  /** Whether there are credentials that belong to one authorization server. */
  get hasCredentials(): boolean {
    return this.#options.clientId !== undefined;
  }

  /** A redirect URI that was registered earlier, and is best used again. */
  async preferredRedirect(issuer: string, store: CredentialStore): Promise<string | undefined> {
    return (await this.#place(issuer).read(store))?.redirectUris[0];
  }

  /** As whom it appears there; registers it if need be. */
  async identify(context: GrantContext, redirectUri?: string): Promise<ClientIdentity> {
    const { found, store, wire } = context;
    const { as } = found;
    const { clientMetadataUrl, privateKey } = this.#options;
    const configured = this.#configured();
    if (configured) return configured;
    if (clientMetadataUrl !== undefined && as.client_id_metadata_document_supported === true) {
      return { clientId: clientMetadataUrl, privateKey };
    }
    const kept = await this.#place(as.issuer).read(store);
    if (kept && isUsable(kept, redirectUri)) return identityOf(kept);
    if (as.registration_endpoint === undefined) {
      const message =
        'The authorization server registers no clients by itself. Register this one there and pass "clientId" and ' +
        '"issuer", or pass "clientMetadataUrl" if the server takes client id metadata documents';
      throw wire.failure('registration_unsupported', message);
    }
    return this.#register(context, redirectUri);
  }

  /** As whom it appeared there before. */
  async identityAt(issuer: string, clientId: string, store: CredentialStore): Promise<ClientIdentity | undefined> {
    const { clientMetadataUrl, privateKey } = this.#options;
    const configured = this.#configured();
    if (configured?.clientId === clientId) return configured;
    if (clientMetadataUrl === clientId) return { clientId, privateKey };
    const kept = await this.#place(issuer).read(store);
    return kept?.clientId === clientId ? identityOf(kept) : undefined;
  }

  #configured(): ClientIdentity | undefined {
    const { clientId, clientSecret, privateKey } = this.#options;
    return clientId === undefined ? undefined : { clientId, clientSecret, privateKey };
  }

  async #register({ found, store, wire, scopes }: GrantContext, redirectUri?: string): Promise<ClientIdentity> {
    const { clientName = DEFAULT_NAME, clientUri, grantTypes } = this.#options;
    const redirectUris = redirectUri === undefined ? [] : [redirectUri];
    const request = registrationRequest(found.as, {
      clientName,
      clientUri,
      redirectUris,
      applicationType: applicationType(redirectUri),
      grantTypes,
      scope: formatScopes(scopes ?? []),
    });
    const registration = await wire.post('client registration', request, (response) =>
      readRegistration(response, redirectUris),
    );
    await this.#place(found.as.issuer).write(store, registration);
    return identityOf(registration);
  }

  #place(issuer: string): Place<Registration> {
    return place(['client', issuer, ...this.#options.grantTypes], isRegistration);
  }
}

function identityOf({ clientId, clientSecret, authMethod }: Registration): ClientIdentity {
  return { clientId, clientSecret, authMethod };
}

function isUsable({ secretExpiresAt, redirectUris }: Registration, redirectUri: string | undefined): boolean {
  const isExpired = secretExpiresAt !== undefined && secretExpiresAt <= Date.now();
  return !isExpired && (redirectUri === undefined || redirectUris.includes(redirectUri));
}

// Whoever is sent back to a program on this machine is not on the web.
function applicationType(redirectUri: string | undefined): 'native' | 'web' {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return 'native';
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'https:' && !isLoopbackHost(hostname) ? 'web' : 'native';
}

function isRegistration(value: unknown): value is Registration {
  return isObject(value) && typeof value['clientId'] === 'string' && Array.isArray(value['redirectUris']);
}
