/** What an authenticator says reaches the client as it was said; what it was shown reaches nobody else. */

import { inspect } from 'node:util';
import type { Authenticate, Challenge, Credentials } from 'mcpp/http';
import { describe, expect, test } from 'vitest';
import { FACES, openSession, post } from './faces.ts';
import { call, initialize, statelessHeaders } from './messages.ts';
import { makeStage } from './stage.ts';

const CHALLENGES: readonly (readonly [Challenge, code: number, message: string])[] = [
  [{ status: 400 }, -32600, 'The request says in a wrong way who is calling'],
  [{ status: 401, headers: { 'WWW-Authenticate': 'Bearer' } }, -32600, 'Authorization is needed'],
  [{ status: 403, headers: { 'WWW-Authenticate': 'Bearer error="x"' } }, -32600, 'This is not allowed'],
  [{ status: 503, headers: { 'Retry-After': '10' } }, -32603, 'Who is calling cannot be found out at the moment'],
  [{ status: 503, message: 'Come back later' }, -32603, 'Come back later'],
];

describe.each(FACES)('through $name', ({ open }) => {
  test.each(CHALLENGES)('%j is the answer', async (challenge, code, message) => {
    const reached = await open(makeStage().server, { auth: () => challenge });
    const answer = await post(reached, initialize());
    expect(answer.status).toBe(challenge.status);
    for (const [name, value] of Object.entries(challenge.headers ?? {})) {
      expect(answer.header(name.toLowerCase())).toBe(value);
    }
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', error: { code, message } });
    const head = await reached.send({ method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([challenge.status, '']);
    await reached.close();
  });

  test('a status that is no refusal lets nobody in', async () => {
    for (const status of [200, 202, 302, 404, 500, '401']) {
      const stage = makeStage();
      const reached = await open(stage.server, { auth: () => ({ status, message: 'x' }) as unknown as Challenge });
      expect((await post(reached, initialize())).status).toBe(500);
      expect(String(stage.errors[0])).toContain(
        '"auth" gave a challenge whose status is none of 400, 401, 403 and 503',
      );
      await reached.close();
    }
  });

  test.each([
    [
      {},
      '"auth" gave neither a principal nor a challenge: return { subject, scopes }, or a challenge such as { status: 401 }',
    ],
    [{ subject: '' }, 'The principal of "auth" must have a "subject": a string that is not empty'],
    [{ subject: 7 }, 'The principal of "auth" must have a "subject": a string that is not empty'],
    [{ subject: 'a', scopes: 'files:read' }, 'The "scopes" of the principal of "auth" must be an array of strings'],
    [{ subject: 'a', scopes: [['a']] }, 'The "scopes" of the principal of "auth" must be an array of strings'],
    [{ subject: 'a', expiresAt: 1_800_000_000 }, 'The "expiresAt" of the principal of "auth" must be a number'],
    [{ status: 403, principal: { subject: '' } }, 'The principal of "auth" must have a "subject"'],
  ])('%j lets nobody in, and the operator is told why', async (given, message) => {
    const stage = makeStage();
    const reached = await open(stage.server, { auth: () => given as never });
    expect((await post(reached, initialize())).status).toBe(500);
    expect(String(stage.errors[0])).toContain(message);
    await reached.close();
  });

  test('what fails while a message is looked at is no fault of the caller’s', async () => {
    const stage = makeStage();
    stage.server.registerTool('scoped', { scopes: ['a'] }, () => '');
    const auth: Authenticate = Object.assign(() => ({ subject: 'alice' }), {
      protectedResource: {
        metadataUrl: 'https://mcp.example.com/.well-known/oauth-protected-resource',
        metadata: {},
        insufficientScope: () => {
          throw new Error('broken');
        },
      },
    });
    const reached = await open(stage.server, { auth });
    const message = call(1, 'scoped', {}, true);
    const answer = await post(reached, message, statelessHeaders(message));
    expect([answer.status, await answer.json()]).toEqual([500, expect.objectContaining({ jsonrpc: '2.0' })]);
    expect(stage.errors.map(String)).toEqual(['Error: broken']);
    await reached.close();
  });

  test('a page may send what shows who is calling, and reads what it is told', async () => {
    const origin = 'https://app.example.com';
    const auth: Authenticate = () => ({ status: 401, headers: { 'WWW-Authenticate': 'DPoP', 'DPoP-Nonce': 'n' } });
    const reached = await open(makeStage().server, { origins: [origin], auth });
    const wanted = 'authorization,content-type,dpop,mcp-session-id';
    const preflight = await reached.send({
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': wanted },
    });
    expect([preflight.status, preflight.header('access-control-allow-headers')]).toEqual([204, wanted]);
    const answer = await post(reached, initialize(), { origin });
    const readable = answer.header('access-control-expose-headers')?.split(', ');
    expect(readable).toEqual(
      expect.arrayContaining(['WWW-Authenticate', 'DPoP-Nonce', 'Mcp-Session-Id', 'Retry-After']),
    );
    expect([answer.header('www-authenticate'), answer.header('dpop-nonce')]).toEqual(['DPoP', 'n']);
    await reached.close();
  });

  test('credentials have the token for whoever asks, and for nothing that prints or copies them', async () => {
    const seen: Credentials[] = [];
    const auth: Authenticate = (credentials, request) => {
      if (credentials) seen.push(credentials);
      expect(inspect(request, { depth: 9, showHidden: true })).not.toContain('s3cr3t');
      return { subject: 'alice' };
    };
    const reached = await open(makeStage().server, { auth });
    await post(reached, initialize(), { authorization: 'Bearer s3cr3t' });
    const [credentials] = seen;
    expect([credentials?.scheme, credentials?.token]).toEqual(['bearer', 's3cr3t']);
    expect(JSON.stringify({ credentials })).toBe('{"credentials":{"scheme":"bearer"}}');
    for (const shown of [inspect(credentials, { showHidden: true, depth: 9 }), String(credentials)]) {
      expect(shown).not.toContain('s3cr3t');
    }
    expect({ ...credentials }).toEqual({ scheme: 'bearer' });
    await reached.close();
  });

  test.each(['2026-07-28', '2025-11-25'])(
    'handlers see no proof of who is calling, but cookies: %s',
    async (version) => {
      const stage = makeStage();
      stage.server.registerTool('headers', {}, (_, ctx) => JSON.stringify(Object.fromEntries(ctx.headers ?? [])));
      const reached = await open(stage.server, { auth: () => ({ subject: 'alice' }) });
      const proofs = { authorization: 'DPoP s3cr3t', dpop: 'pr00f', cookie: 'theme=dark', 'x-tenant': 'a' };
      const isStateless = version === '2026-07-28';
      const message = call(1, 'headers', {}, isStateless);
      const headers = isStateless ? statelessHeaders(message) : await openSession(reached, { version });
      const answer = await (await post(reached, message, { ...headers, ...proofs })).text();
      expect(answer).not.toMatch(/s3cr3t|pr00f|authorization|dpop/);
      expect(answer).toContain('theme=dark');
      expect(answer).toContain('x-tenant');
      await reached.close();
    },
  );
});
