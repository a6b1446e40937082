/** The device authorization grant (RFC 8628): a person confirms a code on another device than the client runs on. */

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

/** What is asked of a person. */
export interface DeviceOptions {
  readonly scopes: readonly string[];
  /** The MCP server that the token is for. */
  readonly resource: string | undefined;
}

/** What to show to a person, and what to ask the token endpoint with meanwhile. */
export interface DeviceAuthorization {
  /** Secret. */
  readonly deviceCode: string;
  readonly userCode: string;
  /** Where the code is to be typed. */
  readonly verificationUri: string;
  /** The same with the code in it. */
  readonly verificationUriComplete?: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  /** How long to wait between two questions. */
  readonly intervalMs: number;
}

const WHO = 'The device authorization endpoint';
const INTERVAL = 5;
/** Whatever the server says, it is asked neither all the time nor hardly ever, and not for longer than a person takes. */
const [MIN_INTERVAL, MAX_INTERVAL, MAX_LIFETIME] = [1, 300, 3600];

/** A request for a code to show. */
export async function deviceRequest(
  as: ServerMetadata,
  identity: ClientIdentity,
  { scopes, resource }: DeviceOptions,
): Promise<OAuthRequest> {
  const body = new URLSearchParams({ client_id: identity.clientId, ...scopeParameter(scopes) });
  if (resource !== undefined) body.set('resource', resource);
  return authenticatedRequest(as, identity, endpointIn(as, 'device_authorization_endpoint'), body);
}

/** The code to show. */
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

/** Tokens, or that the person is not done yet, or that the question comes too often: then 5 seconds longer from now on. */
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

// Some wrote it so before there was an RFC.
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
