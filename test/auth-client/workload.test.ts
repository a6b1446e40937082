/** What a platform says of a program goes to the authorization server it was made for, and to no other. */

import { type WorkloadIdentityOptions, workloadIdentity } from 'mcpp/auth/client';
import { expect, test, vi } from 'vitest';
import {
  AS,
  authorizationServer,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  MCP,
  PRM,
  resourceOf,
  world,
} from './world.ts';

const EVIL = 'https://evil.example.com';
const TOKEN = `POST ${AS}/token`;

test('without an issuer it is refused, since the MCP server could name any', () => {
  const make = () => workloadIdentity({ clientId: 'job', assertion: () => 'jwt' } as object as WorkloadIdentityOptions);
  expect(make).toThrow(TypeError);
  expect(make).toThrow(
    /^workloadIdentity: "assertion" needs "issuer".*could name another to get hold of it.*"discovered"/,
  );
});

test('an MCP server that names another authorization server gets no JWT sent there, and none is made', async () => {
  const { fetch, lines } = world({ [`GET ${PRM}`]: { json: resourceOf([EVIL]) } }, authorizationServer(EVIL));
  const assertion = vi.fn(() => 'jwt');
  const auth = workloadIdentity({ fetch, clientId: 'job', issuer: AS, assertion });
  const error = await failureOf(enter(auth.authorizer(connectionTo()), letsIn()));
  expect(error).toMatchObject({ code: 'issuer_mismatch' });
  expect(assertion).not.toHaveBeenCalled();
  expect(lines().filter((line) => line.includes('evil'))).toEqual([]);
});

test.each([AS, 'discovered'])('with issuer %j the JWT is made for what it is used for', async (issuer) => {
  const { fetch, to } = world();
  const assertion = vi.fn((target: { issuer: string; resource: string }) => `jwt-for-${new URL(target.issuer).host}`);
  const auth = workloadIdentity({ fetch, clientId: 'job', issuer, assertion });
  expect(await enter(auth.authorizer(connectionTo()), letsIn('access-1'))).toMatchObject({ status: 200 });
  expect(assertion.mock.calls).toEqual([[{ issuer: AS, resource: MCP }]]);
  expect(to(TOKEN)[0]?.fields).toMatchObject({ assertion: 'jwt-for-auth.example.com' });
});
