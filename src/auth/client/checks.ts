/** What is wrong with options, told when they are given and not when they are needed. */

import { DISCOVERED } from './discovery.ts';
import { isIssuer } from './resource-metadata.ts';

/** What ties credentials to an authorization server. */
export interface CredentialOptions {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly issuer?: string | undefined;
}

/** Refuses credentials that could be sent to the wrong place. `who` is the function they were passed to. */
export function checkCredentials(who: string, { clientId, clientSecret, issuer }: CredentialOptions): void {
  if (clientSecret !== undefined && clientId === undefined)
    throw new TypeError(`${who}: "clientSecret" needs "clientId"`);
  if (issuer !== undefined && issuer !== DISCOVERED && !isIssuer(issuer)) {
    throw new TypeError(`${who}: "issuer" must be the https URL by which the authorization server calls itself`);
  }
  if (clientSecret === undefined || issuer !== undefined) return;
  throw new TypeError(
    `${who}: "clientSecret" needs "issuer", the authorization server it belongs to: an MCP server could name another to ` +
      'get hold of it. Pass issuer: "discovered" if you trust the server with it',
  );
}

/** Refuses what is not there. */
export function checkText(who: string, name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '')
    throw new TypeError(`${who}: "${name}" must be a string that is not empty`);
}

/** Refuses what cannot be called. */
export function checkFunction(who: string, name: string, value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(`${who}: "${name}" must be a function`);
}
