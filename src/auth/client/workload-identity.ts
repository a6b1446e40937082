/** `workloadIdentity()`: a program is let in by what the platform it runs on says of it. */

import type { ClientAuth } from '../../client/http-options.ts';
import { type AuthOptions, clientAuth, sessionOptions } from './auth.ts';
import { checkCredentials, checkFunction, checkText } from './checks.ts';
import { machineGrant } from './machine-grant.ts';
import { jwtBearerGrant } from './token.ts';

/** Options of `workloadIdentity`. */
export interface WorkloadIdentityOptions extends AuthOptions {
  /** The client as the authorization server knows it. */
  readonly clientId: string;
  /** The authorization server, exactly as it calls itself. */
  readonly issuer?: string | undefined;
  /**
   * The JWT of the platform, made for that authorization server (its issuer is the audience); asked for whenever tokens
   * are needed, so that it can be read from where the platform renews it.
   */
  readonly assertion: () => string | Promise<string>;
}

/** Lets a program in with the identity its platform gave it (RFC 7523, workload identity federation). */
export function workloadIdentity(options: WorkloadIdentityOptions): ClientAuth {
  const { clientId, issuer, assertion } = options;
  checkText('workloadIdentity', 'clientId', clientId);
  checkFunction('workloadIdentity', 'assertion', assertion);
  checkCredentials('workloadIdentity', { clientId, issuer });
  const grant = machineGrant({
    issuer,
    identity: { clientId },
    entitle: async ({ scopes = [] }) => {
      const jwt = await assertion();
      checkText('workloadIdentity', 'assertion', jwt);
      return jwtBearerGrant(jwt, scopes);
    },
  });
  return clientAuth(grant, sessionOptions('workloadIdentity', options));
}
