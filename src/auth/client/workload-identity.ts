/** `workloadIdentity()`: a program is let in by what the platform it runs on says of it. */

import type { ClientAuth } from '../../client/http-options.ts';
import { type AuthOptions, clientAuth, sessionOptions } from './auth.ts';
import { checkCredentials, checkFunction, checkText, requireIssuer } from './checks.ts';
import { machineGrant } from './machine-grant.ts';
import { jwtBearerGrant } from './token.ts';

/** What a JWT is going to be used for. */
export interface AssertionTarget {
  /** The authorization server that gets it. */
  readonly issuer: string;
  /** The MCP server that the client wants to use. */
  readonly resource: string;
}

/** Options of `workloadIdentity`. */
export interface WorkloadIdentityOptions extends AuthOptions {
  /** The client as the authorization server knows it. */
  readonly clientId: string;
  /**
   * The authorization server, exactly as it calls itself: the JWT goes there and nowhere else. With `discovered` it is
   * whichever the MCP server names, which then gets the JWT.
   */
  readonly issuer: string;
  /**
   * The JWT of the platform, made for that authorization server (its `issuer` is the audience); asked for whenever tokens
   * are needed, so that it can be read from where the platform renews it. It is told what the JWT is for.
   */
  readonly assertion: (target: AssertionTarget) => string | Promise<string>;
}

/** Lets a program in with the identity its platform gave it (RFC 7523, workload identity federation). */
export function workloadIdentity(options: WorkloadIdentityOptions): ClientAuth {
  const { clientId, issuer, assertion } = options;
  checkText('workloadIdentity', 'clientId', clientId);
  checkFunction('workloadIdentity', 'assertion', assertion);
  checkCredentials('workloadIdentity', { clientId, issuer });
  const settings = sessionOptions('workloadIdentity', options);
  // Whoever holds the JWT is this program, for as long as it is good.
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
