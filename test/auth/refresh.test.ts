import { AuthError, clientCredentials, memoryStore, oauth } from 'mcpp/auth/client';
import { introspect, jwt } from 'mcpp/auth/server';
import { connect } from 'mcpp/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { closeAll, closeLater, REVISIONS, ROBOT, setStage } from './stage.ts';

const LIFETIME = 120;

afterEach(async () => {
  vi.useRealTimers();
  await closeAll();
});

/** Everybody's clocks go on; nobody waits. */
function pass(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000);
}

describe.each(REVISIONS)('revision %s', (revision) => {
  test('a token is refreshed before it expires, and each refresh token is used once', async () => {
    const { url, byHand, watchTokens } = await setStage({ as: { accessTokenSeconds: LIFETIME } });
    const mcp = closeLater(await connect(url, { revision, auth: oauth(byHand) }));
    await mcp.callTool('whoami');
    const tokens = watchTokens();
    for (let round = 0; round < 3; round++) {
      pass(LIFETIME - 10);
      expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { subject: 'ada' } });
      await vi.waitFor(() => expect(tokens()).toHaveLength(round + 1));
      await mcp.callTool('whoami');
    }
    expect(tokens()).toEqual(['refresh_token 200', 'refresh_token 200', 'refresh_token 200']);
  });

  test('twenty calls at once with an expired token cause one refresh', async () => {
    const { url, byHand, watchTokens } = await setStage({ as: { accessTokenSeconds: LIFETIME } });
    const mcp = closeLater(await connect(url, { revision, auth: oauth(byHand) }));
    await mcp.callTool('whoami');
    const tokens = watchTokens();
    pass(LIFETIME + 10);
    const results = await Promise.all(Array.from({ length: 20 }, () => mcp.callTool('whoami')));
    expect(results.filter(({ isError }) => !isError)).toHaveLength(20);
    expect(tokens()).toEqual(['refresh_token 200']);
  });

  test('twenty calls at once that are answered with 401 cause one refresh', async () => {
    const { as, url, byHand, watchTokens } = await setStage({
      as: { tokens: 'opaque', clients: [ROBOT] },
      auth: (issuer, resource) =>
        introspect({ issuer, resource, scopes: ['read'], clientId: 'robot', clientSecret: 'secret' }),
    });
    const mcp = closeLater(await connect(url, { revision, auth: oauth(byHand) }));
    await mcp.callTool('whoami');
    const tokens = watchTokens();
    as.forget('AccessToken');
    const results = await Promise.all(Array.from({ length: 20 }, () => mcp.callTool('whoami')));
    expect(results.filter(({ isError }) => !isError)).toHaveLength(20);
    expect(tokens()).toEqual(['refresh_token 200']);
  });

  test('a refresh token that is good no more leads to the person, and the same call continues', async () => {
    const { as, url, byHand, watchTokens } = await setStage({ as: { accessTokenSeconds: LIFETIME } });
    const mcp = closeLater(await connect(url, { revision, auth: oauth(byHand) }));
    await mcp.callTool('whoami');
    const tokens = watchTokens();
    as.forget('RefreshToken');
    pass(LIFETIME + 10);
    const results = await Promise.all(Array.from({ length: 20 }, () => mcp.callTool('whoami')));
    expect(results.filter(({ isError }) => !isError)).toHaveLength(20);
    expect(tokens()).toEqual(['refresh_token 400', 'authorization_code 200']);
    expect(as.registrations).toHaveLength(1);
  });

  test('while the authorization server is away nothing is lost, and it works when it is back', async () => {
    const { as, url, byHand, watchTokens } = await setStage({ as: { accessTokenSeconds: LIFETIME } });
    const store = memoryStore();
    const mcp = closeLater(await connect(url, { revision, auth: oauth({ ...byHand, store }) }));
    await mcp.callTool('whoami');
    const tokens = watchTokens();
    await as.stop();

    // It should be refreshed by now, but is still good.
    pass(LIFETIME - 10);
    expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { subject: 'ada' } });
    pass(20);
    const failure = await mcp.callTool('whoami').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AuthError);
    expect(failure).toMatchObject({ isRetryable: true });

    await as.start();
    expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { subject: 'ada' } });
    expect(tokens()).toEqual(['refresh_token 200']);
    // Somebody who finds the same store is let in as well.
    const later = closeLater(await connect(url, { revision, auth: oauth({ ...byHand, store }) }));
    expect(await later.callTool('whoami')).toMatchObject({ structuredContent: { subject: 'ada' } });
    expect(tokens()).toHaveLength(1);
  });
});

test.for([false, true])('a bound token is refreshed with the same key, nonces wanted: %s', async (requireDpopNonce) => {
  const { as, url, byHand, watchTokens } = await setStage({
    as: { accessTokenSeconds: LIFETIME, requireDpopNonce },
    auth: (issuer, resource) => jwt({ issuer, resource, scopes: ['read'], dpop: 'required' }),
  });
  const mcp = closeLater(await connect(url, { auth: oauth(byHand) }));
  await mcp.callTool('whoami');
  const tokens = watchTokens();
  pass(LIFETIME + 10);
  const results = await Promise.all(Array.from({ length: 20 }, () => mcp.callTool('whoami')));
  expect(results.filter(({ isError }) => !isError)).toHaveLength(20);
  // A nonce of before may be used until it is too old.
  expect(tokens().filter((request) => request.endsWith(' 200'))).toEqual(['refresh_token 200']);
  expect(as.tokenRequests.every(({ hasProof }) => hasProof)).toBe(true);
});

test('a client that is let in as itself gets another token when its own expires, once for all calls', async () => {
  const { as, url, watchTokens } = await setStage({ as: { accessTokenSeconds: LIFETIME, clients: [ROBOT] } });
  const auth = clientCredentials({ clientId: 'robot', clientSecret: 'secret', issuer: as.issuer });
  const mcp = closeLater(await connect(url, { auth }));
  await mcp.callTool('whoami');
  const tokens = watchTokens();
  pass(LIFETIME + 10);
  const results = await Promise.all(Array.from({ length: 20 }, () => mcp.callTool('whoami')));
  expect(results.filter(({ isError }) => !isError)).toHaveLength(20);
  expect(tokens()).toEqual(['client_credentials 200']);
});

test('who gets refresh tokens only for "offline_access" asks for it', async () => {
  const as = { accessTokenSeconds: LIFETIME, refreshTokens: 'offline_access' } as const;
  const { url, byHand, watchTokens } = await setStage({ as });
  const mcp = closeLater(await connect(url, { auth: oauth(byHand) }));
  await mcp.callTool('whoami');
  const tokens = watchTokens();
  pass(LIFETIME + 10);
  expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { subject: 'ada', scopes: ['read'] } });
  expect(tokens()).toEqual(['refresh_token 200']);
});
