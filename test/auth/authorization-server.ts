/** A real authorization server for tests: `oidc-provider` on a port of this machine, with a person who signs in. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { Memory } from './adapter.ts';
import { Browser, type Person } from './person.ts';
import { type AuthorizationServerOptions, type Policy, providerOptions } from './provider-options.ts';

/** A request that the token endpoint answered. */
export interface TokenRequest {
  readonly grantType: string;
  readonly clientId: string;
  readonly resource: unknown;
  readonly scope: string | undefined;
  /** True if it came with a DPoP proof. */
  readonly hasProof: boolean;
  /** How the client said who it is: `client_secret_basic`, `private_key_jwt`, `none`. */
  readonly clientAuthMethod: string | undefined;
  readonly status: number;
}

/** A client that registered itself. */
export interface Registration {
  readonly clientId: string;
  readonly applicationType: string;
}

/** An authorization server that listens. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** What came to the token endpoint, in order. */
  readonly tokenRequests: readonly TokenRequest[];
  /** Who registered, in order. */
  readonly registrations: readonly Registration[];
  /** What went wrong inside of it: nothing should. */
  readonly faults: readonly unknown[];
  /** Who signs in from now on. */
  readonly person: Person;
  /** What holds for tokens from now on. */
  readonly policy: Policy;
  /** The person follows an authorization URL. Gives the URL they are sent back to, and does not ask for it. */
  signIn(url: URL | string): Promise<URL>;
  /** The same, and the browser goes there. For clients that listen for it. */
  signInAndReturn(url: URL | string): Promise<void>;
  /** The person opens the page for a device's code and answers. Gives the text of the last page. */
  approveDevice(verificationUriComplete: URL | string): Promise<string>;
  /** Tokens of before are refused from now on; access tokens only if they are opaque. */
  forget(tokens: 'AccessToken' | 'RefreshToken'): void;
  /** Nobody listens any more, until `start`. */
  stop(): Promise<void>;
  /** Listens again where it did, and remembers everything. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one. Every client may register; every URL is a resource. */
export async function startAuthorizationServer(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const person: Person = { name: 'ada', answer: 'allow' };
  const policy: Policy = { accessTokenSeconds: options.accessTokenSeconds ?? 3600 };
  const memory = new Memory();
  const tokenRequests: TokenRequest[] = [];
  const registrations: Registration[] = [];
  const faults: unknown[] = [];

  // The issuer is a URL with the port in it, so that has to be known first.
  const server = createServer();
  const port = await listen(server, 0);
  const issuer = `http://127.0.0.1:${port}`;
  const { Provider } = await load();
  const provider = new Provider(issuer, await providerOptions(options, policy, memory));
  provider.on('server_error', (_, error) => faults.push(error));
  provider.on('registration_create.success', (_, { clientId, applicationType = 'web' }) => {
    registrations.push({ clientId, applicationType });
  });
  provider.on('grant.success', (ctx) => tokenRequests.push(tokenRequestOf(ctx)));
  provider.on('grant.error', (ctx) => tokenRequests.push(tokenRequestOf(ctx)));

  // Devices may ask as often as tests want to.
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path === '/device/auth' && ctx.status === 200) Object.assign(ctx.body as object, { interval: 0.02 });
  });

  const answer = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const answered = request.url?.startsWith('/interaction/')
      ? interact(provider, person, request, response)
      : answer(request, response);
    answered.catch((error: unknown) => {
      faults.push(error);
      response.destroy();
    });
  });

  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  // Each time in a new window, so that the person is asked each time.
  const signIn = async (start: URL | string): Promise<URL> => {
    const { url, page } = await new Browser().visit(new URL(start));
    if (page === undefined) return url;
    throw new Error(`The authorization server shows a page: ${page}`);
  };
  return {
    issuer,
    tokenRequests,
    registrations,
    faults,
    person,
    policy,
    signIn,
    async signInAndReturn(url) {
      const response = await fetch(await signIn(url));
      await response.body?.cancel();
    },
    approveDevice: async (url) => (await new Browser().visit(new URL(url))).page ?? '',
    forget: (tokens) => memory.of(tokens).clear(),
    stop,
    async start() {
      await listen(server, port);
    },
    close: stop,
  };
}

// What a person would be asked on pages is answered at once.
async function interact(
  provider: Provider,
  person: Person,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (person.answer === 'deny') {
    const denied = { error: 'access_denied', error_description: 'The person said no' };
    return provider.interactionFinished(request, response, denied, { mergeWithLastSubmission: false });
  }
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: person.name } });
  }
  const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params['client_id']) });
  grant.addOIDCScope('openid offline_access');
  const missing = (prompt.details['missingResourceScopes'] ?? {}) as Record<string, string[]>;
  for (const [resource, scopes] of Object.entries(missing)) grant.addResourceScope(resource, scopes.join(' '));
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

function tokenRequestOf(ctx: KoaContextWithOIDC): TokenRequest {
  const { params, client } = ctx.oidc;
  return {
    grantType: String(params?.['grant_type']),
    clientId: String(client?.clientId ?? params?.['client_id']),
    resource: params?.['resource'],
    scope: params?.['scope'] as string | undefined,
    hasProof: ctx.get('dpop') !== '',
    clientAuthMethod: client?.clientAuthMethod,
    status: ctx.status,
  };
}

let loading: Promise<typeof import('oidc-provider')> | undefined;

// On Node 20 it prints that it is not tested there; it works.
function load(): Promise<typeof import('oidc-provider')> {
  const { warn } = console;
  if (loading === undefined) {
    console.warn = (...said) => {
      if (!String(said[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...said);
    };
    loading = import('oidc-provider').finally(() => {
      console.warn = warn;
    });
  }
  return loading;
}

/** Listens on this machine only; 0 takes a free port. Gives the port. */
export async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
