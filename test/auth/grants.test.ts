import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { AuthError, clientCredentials, deviceCode, oauth } from 'mcpp/auth/client';
import { introspect, jwt } from 'mcpp/auth/server';
import { connect } from 'mcpp/client';
import type { ClientMetadata } from 'oidc-provider';
import { afterEach, describe, expect, test } from 'vitest';
import { closeAll, closeLater, REVISIONS, ROBOT, setStage } from './stage.ts';

afterEach(closeAll);

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

describe.each(REVISIONS)('revision %s', (revision) => {
  test('a person confirms a code on another device, and the same call continues', async () => {
    const { as, url } = await setStage();
    const said: unknown[] = [];
    const auth = deviceCode({
      onCode({ userCode, verificationUri, verificationUriComplete = '' }) {
        said.push(userCode, verificationUri);
        void as.approveDevice(verificationUriComplete);
      },
    });
    const mcp = closeLater(await connect(url, { revision, auth }));
    const clientId = as.registrations[0]?.clientId;
    expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { subject: 'ada', clientId } });
    expect(said).toEqual([expect.stringMatching(/^\w{4}-\w{4}$/), `${as.issuer}/device`]);
    expect(as.tokenRequests.at(-1)).toMatchObject({ grantType: DEVICE, clientId, resource: url, status: 200 });
  });

  test('a person who does not confirm it is told to the application', async () => {
    const { as, url } = await setStage();
    as.person.answer = 'deny';
    const auth = deviceCode({
      async onCode({ verificationUriComplete = '' }) {
        await as.approveDevice(verificationUriComplete);
      },
    });
    const failure = await connect(url, { revision, auth }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AuthError);
    expect(failure).toMatchObject({ code: 'access_denied' });
  });

  test('a client is let in as itself, by its secret', async () => {
    const { as, url } = await setStage({ as: { clients: [ROBOT] } });
    const auth = clientCredentials({ clientId: 'robot', clientSecret: 'secret', issuer: as.issuer });
    const mcp = closeLater(await connect(url, { revision, auth }));
    expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { clientId: 'robot', scopes: ['read'] } });
    const request = { grantType: 'client_credentials', clientAuthMethod: 'client_secret_basic', resource: url };
    expect(as.tokenRequests).toMatchObject([request]);
  });

  test('a client is let in as itself, by a signature', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const keyed: ClientMetadata = {
      ...ROBOT,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...(await exportJWK(publicKey)), kty: 'EC', kid: 'of the robot' }] },
    };
    const { as, url } = await setStage({ as: { clients: [keyed] } });
    const key = { key: await exportPKCS8(privateKey), alg: 'ES256', kid: 'of the robot' };
    const auth = clientCredentials({ clientId: 'robot', privateKey: key, issuer: as.issuer });
    const mcp = closeLater(await connect(url, { revision, auth }));
    expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { clientId: 'robot' } });
    expect(as.tokenRequests).toMatchObject([{ clientAuthMethod: 'private_key_jwt', resource: url, status: 200 }]);
  });

  test.for([false, true])('a token is bound to a key of the client, nonces wanted: %s', async (requireDpopNonce) => {
    const { as, url, byHand, watchTokens } = await setStage({
      as: { requireDpopNonce },
      auth: (issuer, resource) => jwt({ issuer, resource, scopes: ['read'], dpop: 'required' }),
    });
    const mcp = closeLater(await connect(url, { revision, auth: oauth(byHand) }));
    expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { subject: 'ada' } });
    expect(as.tokenRequests.map(({ status }) => status)).toEqual(requireDpopNonce ? [400, 200] : [200]);
    expect(as.tokenRequests.every(({ hasProof }) => hasProof)).toBe(true);
    const tokens = watchTokens();
    expect(await mcp.callTool('write')).toMatchObject({ content: [{ text: 'ada wrote' }] });
    expect(tokens().at(-1)).toBe('authorization_code 200');
  });

  test('a client may bind its tokens where nobody asks for it', async () => {
    const { as, url } = await setStage({ as: { clients: [ROBOT] } });
    const { issuer } = as;
    const auth = clientCredentials({ clientId: 'robot', clientSecret: 'secret', issuer, dpop: true });
    const mcp = closeLater(await connect(url, { revision, auth }));
    expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { clientId: 'robot' } });
    expect(as.tokenRequests).toMatchObject([{ hasProof: true }]);
  });

  test('a token that only its issuer can read is asked about', async () => {
    const { as, url, byHand } = await setStage({
      as: { tokens: 'opaque', clients: [ROBOT] },
      auth: (issuer, resource) =>
        introspect({ issuer, resource, scopes: ['read'], clientId: 'robot', clientSecret: 'secret' }),
    });
    const mcp = closeLater(await connect(url, { revision, auth: oauth(byHand) }));
    const clientId = as.registrations[0]?.clientId;
    expect(await mcp.callTool('whoami')).toMatchObject({
      structuredContent: { subject: 'ada', clientId, scopes: ['read'] },
    });
  });
});
