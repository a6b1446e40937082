/** `Registrar`: a client's identity at an authorization server: configured, by metadata document, or registered. */

import { AuthError } from '../errors.ts';
import type { ClientIdentity, ClientPrivateKey } from './client-auth.ts';
import { isFor } from './discovery.ts';
import type { GrantContext } from './grant.ts';
import { type ClientRecord, changeClients, clientsPlace, forgetClient } from './records.ts';
import { readRegistration, registrationRequest } from './registration.ts';
import type { CredentialStore } from './store.ts';
import { isLoopbackHost } from './targets.ts';

/** Options that identify the client. None is required if the authorization server supports dynamic client registration. */
export interface ClientOptions {
  /** Client id, if the client was registered with the authorization server beforehand. */
  readonly clientId?: string | undefined;
  /** Client secret. Requires `clientId` and `issuer`. */
  readonly clientSecret?: string | undefined;
  /** Private key, instead of a secret. */
  readonly privateKey?: ClientPrivateKey | undefined;
  /**
   * Issuer of the authorization server that `clientId` is registered with, exactly as in its metadata. With `discovered`, any
   * authorization server that the MCP server names gets the credentials.
   */
  readonly issuer?: string | undefined;
  /** HTTPS URL of a client ID metadata document, used as the client id where the authorization server supports that. */
  readonly clientMetadataUrl?: string | undefined;
  /** Client name that users see on the consent page. Default: `MCP client`. */
  readonly clientName?: string | undefined;
  /** URL of a web page about the client. */
  readonly clientUri?: string | undefined;
}

export interface RegistrarOptions extends ClientOptions {
  /** OAuth grant types that the client is registered for. */
  readonly grantTypes: readonly string[];
}

const DEFAULT_NAME = 'MCP client';
// Tokens are valid only for the client id that obtained them, so some older registrations are kept too.
const MAX_CLIENTS = 10;

export class Registrar {
  readonly #options: RegistrarOptions;

  constructor(options: RegistrarOptions) {
    this.#options = options;
  }

  /** True if a client id is configured, which is valid at one authorization server only. */
  get hasCredentials(): boolean {
    return this.#options.clientId !== undefined;
  }

  /** Returns the redirect URI of the newest registration, so that it can be used again. */
  async preferredRedirect(issuer: string, store: CredentialStore): Promise<string | undefined> {
    const [last] = await this.#kept(issuer, store);
    return last?.redirectUris[0];
  }

  /** Returns the client's identity at the authorization server. Registers the client if necessary. */
  async identify(context: GrantContext, redirectUri?: string): Promise<ClientIdentity> {
    const { found, store, wire } = context;
    const { as } = found;
    const { clientMetadataUrl, privateKey } = this.#options;
    const configured = this.#configured();
    if (configured) return configured;
    if (clientMetadataUrl !== undefined && as.client_id_metadata_document_supported === true) {
      return { clientId: clientMetadataUrl, privateKey };
    }
    const kept = (await this.#kept(as.issuer, store)).find((client) => isUsable(client, redirectUri));
    if (kept) return identityOf(kept);
    if (as.registration_endpoint === undefined) {
      const message =
        'The authorization server registers no clients by itself. Register this one there and pass "clientId" and ' +
        '"issuer", or pass "clientMetadataUrl" if the server takes client id metadata documents';
      throw wire.failure('registration_unsupported', message);
    }
    return this.#register(context, redirectUri);
  }

  /** Returns the identity that the client used before; undefined if it is no longer known. */
  async identityAt(issuer: string, clientId: string, store: CredentialStore): Promise<ClientIdentity | undefined> {
    const { clientMetadataUrl, privateKey, issuer: own } = this.#options;
    const configured = this.#configured();
    // `clientId` comes from a stored record, which can be older than the configured issuer.
    if (configured?.clientId === clientId) return isFor(own, issuer) ? configured : undefined;
    if (clientMetadataUrl === clientId) return { clientId, privateKey };
    const kept = (await this.#kept(issuer, store)).find((client) => client.clientId === clientId);
    return kept && identityOf(kept);
  }

  /** Runs requests with client authentication. After `invalid_client`, deletes the stored registration. */
  async appearing<T>({ found, store }: GrantContext, { clientId }: ClientIdentity, task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      if (error instanceof AuthError && error.code === 'invalid_client') {
        await forgetClient(store, found.as.issuer, clientId);
      }
      throw error;
    }
  }

  #configured(): ClientIdentity | undefined {
    const { clientId, clientSecret, privateKey } = this.#options;
    return clientId === undefined ? undefined : { clientId, clientSecret, privateKey };
  }

  async #register({ found, store, wire }: GrantContext, redirectUri?: string): Promise<ClientIdentity> {
    const { clientName = DEFAULT_NAME, clientUri, grantTypes } = this.#options;
    const redirectUris = redirectUri === undefined ? [] : [redirectUri];
    // Registers no scopes: others can be needed later, and the authorization server might not know those of the MCP server.
    const request = registrationRequest(found.as, {
      clientName,
      clientUri,
      redirectUris,
      applicationType: applicationType(redirectUri),
      grantTypes,
    });
    const registration = await wire.post('client registration', request, (response) =>
      readRegistration(response, redirectUris, found.as),
    );
    const about = clientUri === undefined ? { clientName } : { clientName, clientUri };
    const client: ClientRecord = { ...registration, grantTypes, ...about };
    await changeClients(store, found.as.issuer, (kept) => [client, ...kept].slice(0, MAX_CLIENTS));
    return identityOf(client);
  }

  // Returns only registrations with the same grant types, and with the name and URL that users know.
  async #kept(issuer: string, store: CredentialStore): Promise<readonly ClientRecord[]> {
    const { clientName = DEFAULT_NAME, clientUri, grantTypes } = this.#options;
    const wanted = grantTypes.join();
    const clients = (await clientsPlace(issuer).read(store)) ?? [];
    return clients.filter(
      (one) => one.grantTypes.join() === wanted && one.clientName === clientName && one.clientUri === clientUri,
    );
  }
}

function identityOf({ clientId, clientSecret, authMethod }: ClientRecord): ClientIdentity {
  return { clientId, clientSecret, authMethod };
}

function isUsable({ secretExpiresAt, redirectUris }: ClientRecord, redirectUri: string | undefined): boolean {
  const isExpired = secretExpiresAt !== undefined && secretExpiresAt <= Date.now();
  return !isExpired && (redirectUri === undefined || redirectUris.includes(redirectUri));
}

// Clients with a loopback redirect URI are native applications.
function applicationType(redirectUri: string | undefined): 'native' | 'web' {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return 'native';
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'https:' && !isLoopbackHost(hostname) ? 'web' : 'native';
}
