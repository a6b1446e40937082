/** `workloadIdentity()`: tokens for a program, by a JWT of the platform on which the program runs. */

import type { ClientAuth } from '../../client/http-options.ts';
import { type AuthOptions, clientAuth, sessionOptions } from './auth.ts';
import { checkCredentials, checkFunction, checkText, requireIssuer } from './checks.ts';
import { machineGrant } from './machine-grant.ts';
import { jwtBearerGrant } from './token.ts';

/** Purpose of a JWT: argument of the option `assertion`. */
export interface AssertionTarget {
  /** Issuer of the authorization server that gets the JWT. */
  readonly issuer: string;
  /** Resource indicator of the MCP server (RFC 8707). */
  readonly resource: string;
}

/** Options of `workloadIdentity`. */
export interface WorkloadIdentityOptions extends AuthOptions {
  /** Client id at the authorization server. */
  readonly clientId: string;
  /** Issuer that gets the JWT, exactly as in its metadata. `discovered`: any authorization server that the MCP server names. */
  readonly issuer: string;
  /**
   * Returns the platform's JWT, whose audience is the issuer of the authorization server. Called whenever tokens are obtained,
   * so that the JWT can be read from where the platform renews it.
   */
  readonly assertion: (target: AssertionTarget) => string | Promise<string>;
}

/** Obtains tokens with the identity that the platform gave the program (RFC 7523, workload identity federation). */
export function workloadIdentity(options: WorkloadIdentityOptions): ClientAuth {
  const { clientId, issuer, assertion } = options;
  checkText('workloadIdentity', 'clientId', clientId);
  checkFunction('workloadIdentity', 'assertion', assertion);
  checkCredentials('workloadIdentity', { clientId, issuer });
  const settings = sessionOptions('workloadIdentity', options);
  // The JWT is a bearer credential: a server that gets it can impersonate this program until the JWT expires.
  requireIssuer('workloadIdentity', 'assertion', issuer);
  const grant = machineGrant({
    issuer,
    identity: { clientId },
    entitle: async ({ found, scopes = [] }) => {
      const jwt = await assertion({ issuer: found.as.issuer, resource: found.resource });
      checkText('workloadIdentity', 'assertion', jwt);
      return jwtBearerGrant(jwt, scopes);
    },
  });
  return clientAuth(grant, settings);
}
