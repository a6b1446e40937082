/** `deviceCode()`: the user signs in on another device, for programs without a browser (RFC 8628). */

import type { ClientAuth } from '../../client/http-options.ts';
import { type AuthOptions, clientAuth, sessionOptions } from './auth.ts';
import { checkCredentials, checkFunction } from './checks.ts';
import { type DeviceCode, DeviceGrant } from './device-grant.ts';
import { type ClientOptions, Registrar } from './registrar.ts';

/** Options of `deviceCode`. */
export interface DeviceCodeOptions extends AuthOptions, ClientOptions {
  /** Shows the user the code, and the URL of the page at which to enter it. */
  readonly onCode: (code: DeviceCode) => void | Promise<void>;
}

const GRANT_TYPES = ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'];

/** Obtains tokens by the device authorization grant: the user enters a code on another device (RFC 8628). */
export function deviceCode(options: DeviceCodeOptions): ClientAuth {
  const { issuer, onCode } = options;
  checkFunction('deviceCode', 'onCode', onCode);
  checkCredentials('deviceCode', options);
  const registrar = new Registrar({ ...options, grantTypes: GRANT_TYPES });
  return clientAuth(new DeviceGrant({ issuer, registrar, onCode }), sessionOptions('deviceCode', options));
}
