/** As whom a client appears at an authorization server: as configured, by its metadata document, or registered anew. */

import { AuthError } from '../errors.ts';
import type { ClientIdentity, ClientPrivateKey } from './client-auth.ts';
import { isFor } from './discovery.ts';
import type { GrantContext } from './grant.ts';
import { type ClientRecord, changeClients, clientsPlace, forgetClient } from './records.ts';
import { readRegistration, registrationRequest } from './registration.ts';
import type { CredentialStore } from './store.ts';
import { isLoopbackHost } from './targets.ts';

/** What a client that people let in can say of itself. Nothing of it is needed where clients can register themselves. */
export interface ClientOptions {
  /** The client as it was registered with the authorization server beforehand. */
  readonly clientId?: string | undefined;
  /** Its secret; needs `issuer`. */
  readonly clientSecret?: string | undefined;
  /** Its key, in place of a secret. */
  readonly privateKey?: ClientPrivateKey | undefined;
  /**
   * The authorization server that `clientId` belongs to, exactly as it calls itself. With `discovered` it is whichever the
   * MCP server names, which then gets the secret.
   */
  readonly issuer?: string | undefined;
  /** An https URL with this client's metadata document, used as client id where authorization servers take that. */
  readonly clientMetadataUrl?: string | undefined;
  /** How people see this client called. */
  readonly clientName?: string | undefined;
  /** A web page about this client. */
  readonly clientUri?: string | undefined;
}

/** The same, and what it is for. */
export interface RegistrarOptions extends ClientOptions {
  /** What it is going to ask for tokens with. */
  readonly grantTypes: readonly string[];
}

const DEFAULT_NAME = 'MCP client';
// Tokens belong to the client that got them, so those of before are kept too; but not all that ever were.
const MAX_CLIENTS = 10;

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
    const [last] = await this.#kept(issuer, store);
    return last?.redirectUris[0];
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

  /** As whom it appeared there before. */
  async identityAt(issuer: string, clientId: string, store: CredentialStore): Promise<ClientIdentity | undefined> {
    const { clientMetadataUrl, privateKey, issuer: own } = this.#options;
    const configured = this.#configured();
    // What was kept may be of a time when another authorization server was configured.
    if (configured?.clientId === clientId) return isFor(own, issuer) ? configured : undefined;
    if (clientMetadataUrl === clientId) return { clientId, privateKey };
    const kept = (await this.#kept(issuer, store)).find((client) => client.clientId === clientId);
    return kept && identityOf(kept);
  }

  /** Runs what shows the authorization server who the client is; if it is not known there, it is not next time either. */
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
    // No scopes: what is needed now is not all that ever will be, and scopes of the resource may be unknown there.
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

  // What was registered for something else may not be used for this, nor what people know by another name.
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

// Whoever is sent back to a program on this machine is not on the web.
function applicationType(redirectUri: string | undefined): 'native' | 'web' {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return 'native';
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'https:' && !isLoopbackHost(hostname) ? 'web' : 'native';
}
