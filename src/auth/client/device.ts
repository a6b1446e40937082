/** Requests and responses of the device authorization endpoint, and poll responses (RFC 8628). */

import { AuthError } from '../errors.ts';
import type { ClientIdentity } from './client-auth.ts';
import type { OAuthRequest, OAuthResponse } from './exchange.ts';
import {
  answerIn,
  cleanText,
  invalidAnswer,
  type JsonObject,
  optionalString,
  secondsIn,
  stringIn,
} from './responses.ts';
import { endpointIn, MAX_ENDPOINT_LENGTH, type ServerMetadata } from './server-metadata.ts';
import { pageFault } from './targets.ts';
import { authenticatedRequest, readTokens, scopeParameter, type TokenReading, type TokenResponse } from './token.ts';

export interface DeviceOptions {
  readonly scopes: readonly string[];
  /** Resource indicator of the MCP server (RFC 8707); undefined omits the parameter. */
  readonly resource: string | undefined;
}

/** Device authorization response (RFC 8628, section 3.2). */
export interface DeviceAuthorization {
  /** Secret with which the client polls the token endpoint. */
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  /** `verificationUri` with the user code included. */
  readonly verificationUriComplete?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Delay between two polls of the token endpoint, in milliseconds. */
  readonly intervalMs: number;
}

const WHO = 'The device authorization endpoint';
const INTERVAL = 5;
/** Limits for the server's `interval` (minimum, maximum) and `expires_in` (maximum), in seconds. */
const [MIN_INTERVAL, MAX_INTERVAL, MAX_LIFETIME] = [1, 300, 3600];

export async function deviceRequest(
  as: ServerMetadata,
  identity: ClientIdentity,
  { scopes, resource }: DeviceOptions,
): Promise<OAuthRequest> {
  const body = new URLSearchParams({ client_id: identity.clientId, ...scopeParameter(scopes) });
  if (resource !== undefined) body.set('resource', resource);
  return authenticatedRequest(as, identity, endpointIn(as, 'device_authorization_endpoint'), body);
}

/** Parses a device authorization response. Throws an `AuthError` if the response is an error or malformed. */
export function readDeviceAuthorization(response: OAuthResponse, now: number): DeviceAuthorization {
  const fields = answerIn(response, { who: WHO, statuses: [200], field: 'device_code' });
  const userCode = stringIn(fields, 'user_code', WHO);
  if (cleanText(userCode, 64) !== userCode) throw invalidAnswer(WHO, '"user_code" is nothing that a person could type');
  const seconds = secondsIn(fields['expires_in']);
  if (seconds === undefined) throw invalidAnswer(WHO, '"expires_in" must be a number of seconds');
  const complete = optionalString(fields, 'verification_uri_complete');
  return {
    deviceCode: stringIn(fields, 'device_code', WHO),
    userCode,
    verificationUri: page(verificationUriIn(fields)),
    ...(complete !== undefined && { verificationUriComplete: page(complete) }),
    expiresAt: now + Math.min(seconds, MAX_LIFETIME) * 1000,
    intervalMs: Math.max(MIN_INTERVAL, Math.min(secondsIn(fields['interval']) || INTERVAL, MAX_INTERVAL)) * 1000,
  };
}

/** Parses a poll response. `pending`: not confirmed yet. `slow down`: from now on, wait 5 seconds longer between polls. */
export function readDevicePoll(
  response: OAuthResponse,
  reading: TokenReading,
): TokenResponse | 'pending' | 'slow down' {
  try {
    return readTokens(response, reading);
  } catch (error) {
    if (error instanceof AuthError && error.code === 'authorization_pending') return 'pending';
    if (error instanceof AuthError && error.code === 'slow_down') return 'slow down';
    throw error;
  }
}

// Drafts of RFC 8628 called the field `verification_url`, and some servers still do.
function verificationUriIn(fields: JsonObject): string {
  return optionalString(fields, 'verification_uri') ?? optionalString(fields, 'verification_url') ?? '';
}

function page(uri: string): string {
  const isUrl = uri.length <= MAX_ENDPOINT_LENGTH && URL.canParse(uri);
  const fault = isUrl
    ? pageFault(new URL(uri))
    : `it must be an absolute URL of at most ${MAX_ENDPOINT_LENGTH} characters`;
  if (fault !== undefined) throw invalidAnswer(WHO, `"verification_uri": ${fault}`);
  return new URL(uri).href;
}
