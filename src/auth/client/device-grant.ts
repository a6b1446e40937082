/** Device authorization grant (RFC 8628): shows a code, and polls the token endpoint until the user has confirmed the code. */

import { sleep } from '../../timing/sleep.ts';
import { AuthError } from '../errors.ts';
import type { ClientIdentity } from './client-auth.ts';
import { type DeviceAuthorization, deviceRequest, readDeviceAuthorization, readDevicePoll } from './device.ts';
import type { Grant, GrantContext, Granted } from './grant.ts';
import type { Registrar } from './registrar.ts';
import type { CredentialStore } from './store.ts';
import { deviceCodeGrant, type TokenResponse } from './token.ts';
import { askForTokens } from './token-exchange.ts';

/** Code for the user, and the page at which to enter it. */
export interface DeviceCode {
  readonly userCode: string;
  /** URL of the page at which the user enters `userCode`. */
  readonly verificationUri: string;
  /** `verificationUri` with the code included, for a link or a QR code. */
  readonly verificationUriComplete: string | undefined;
  readonly expiresAt: Date;
}

export interface DeviceGrantOptions {
  readonly issuer: string | undefined;
  readonly registrar: Registrar;
  readonly onCode: (code: DeviceCode) => void | Promise<void>;
}

const SLOWER_MS = 5000;
const NO_ENDPOINT =
  'The authorization server has no "device_authorization_endpoint", so nobody can sign in there with a code. ' +
  'Where there is a browser, use oauth()';

export class DeviceGrant implements Grant {
  readonly issuer: string | undefined;
  readonly wantsRefreshTokens = true;
  readonly #registrar: Registrar;
  readonly #onCode: DeviceGrantOptions['onCode'];

  constructor({ issuer, registrar, onCode }: DeviceGrantOptions) {
    this.issuer = issuer;
    this.#registrar = registrar;
    this.#onCode = onCode;
  }

  get hasCredentials(): boolean {
    return this.#registrar.hasCredentials;
  }

  identityAt(issuer: string, clientId: string, store: CredentialStore): Promise<ClientIdentity | undefined> {
    return this.#registrar.identityAt(issuer, clientId, store);
  }

  async obtain(context: GrantContext): Promise<Granted> {
    const { wire, found, scopes = [], withPerson } = context;
    const { as, resource } = found;
    // Checked before `identify`, so that no client is registered in vain.
    if (as.device_authorization_endpoint === undefined) throw wire.failure('endpoint_missing', NO_ENDPOINT);
    const identity = await this.#registrar.identify(context);
    const request = await deviceRequest(as, identity, { scopes, resource });
    const read = (response: Parameters<typeof readDeviceAuthorization>[0]): DeviceAuthorization =>
      readDeviceAuthorization(response, Date.now());
    const tokens = await this.#registrar.appearing(context, identity, async () => {
      const device = await wire.post('device authorization', request, read);
      return withPerson(async () => {
        await wire.unlessAborted(this.#show(device));
        return poll(context, identity, device);
      });
    });
    return { tokens, identity };
  }

  async #show({ userCode, verificationUri, verificationUriComplete, expiresAt }: DeviceAuthorization): Promise<void> {
    await this.#onCode({ userCode, verificationUri, verificationUriComplete, expiresAt: new Date(expiresAt) });
  }
}

async function poll(
  context: GrantContext,
  identity: ClientIdentity,
  device: DeviceAuthorization,
): Promise<TokenResponse> {
  const { wire, found, dpop } = context;
  const { as, resource } = found;
  const asked = { ...deviceCodeGrant(device.deviceCode), resource, dpop };
  let pause = device.intervalMs;
  while (Date.now() + pause < device.expiresAt) {
    await sleep(pause, wire.signal);
    wire.signal.throwIfAborted();
    const answer = await patiently(() => askForTokens(wire, as, identity, asked, readDevicePoll));
    if (typeof answer === 'object') return answer;
    if (answer === 'slow down') pause += SLOWER_MS;
  }
  throw wire.failure('expired_token', 'Nobody confirmed the code in time');
}

// Treats a retryable failure, such as a timeout, like `slow_down`: polls less often (RFC 8628, section 3.5).
async function patiently<T>(ask: () => Promise<T>): Promise<T | 'slow down'> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AuthError && error.isRetryable) return 'slow down';
    throw error;
  }
}
