/** Grants without a user, which consist of one token request. */

import type { ClientIdentity } from './client-auth.ts';
import { isFor } from './discovery.ts';
import type { Grant, GrantContext, Granted } from './grant.ts';
import type { Entitlement } from './token.ts';
import { requestTokens } from './token-exchange.ts';

export interface MachineGrantOptions {
  readonly issuer: string | undefined;
  readonly identity: ClientIdentity;
  /** Returns the grant type and the parameters of the token request, such as a JWT assertion. */
  readonly entitle: (context: GrantContext) => Entitlement | Promise<Entitlement>;
}

/** Creates a grant that consists of one token request. */
export function machineGrant({ issuer, identity, entitle }: MachineGrantOptions): Grant {
  return {
    issuer,
    hasCredentials: true,
    wantsRefreshTokens: false,
    async obtain(context): Promise<Granted> {
      const { wire, found, dpop } = context;
      const { as, resource } = found;
      const entitlement = await wire.unlessAborted(Promise.resolve(entitle(context)));
      return { identity, tokens: await requestTokens(wire, as, identity, { ...entitlement, resource, dpop }) };
    },
    identityAt: async (at, clientId) => (clientId === identity.clientId && isFor(issuer, at) ? identity : undefined),
  };
}
