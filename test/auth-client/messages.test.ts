/** What errors say: enough to know what to do next, and nothing that a stranger could fill a terminal with. */

import { bearer, deviceCode, oauth } from 'mcpp/auth/client';
import { describe, expect, test, vi } from 'vitest';
import {
  AS,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  METADATA,
  metadataOf,
  PRM,
  refused,
  resourceOf,
  tooLittle,
  world,
} from './world.ts';

const fails = (auth: ReturnType<typeof bearer>, guard = letsIn()) =>
  failureOf(enter(auth.authorizer(connectionTo()), guard));

test('the account says of what is not there that it is not there', async () => {
  const { options } = world({ [`GET ${PRM}`]: undefined, [`GET ${METADATA}`]: undefined });
  const { trace, message } = await fails(oauth({ ...options, issuer: AS, clientId: 'c' }));
  expect(trace[0]).toEqual({ what: 'protected resource metadata', url: PRM, status: 404, outcome: 'not there' });
  expect(message).toContain(`  authorization server metadata, ${METADATA}, status 404: not there`);
  expect(message).not.toContain('404: ok');
});

test('the account says of what is there that it was found', async () => {
  const { options } = world({ [`GET ${METADATA}`]: undefined });
  const { trace } = await fails(oauth(options));
  expect(trace[0]).toEqual({ what: 'protected resource metadata', url: PRM, status: 200, outcome: 'found' });
});

describe('an authorization server that is not the configured one', () => {
  const mismatch = async (named: readonly string[], issuer: string) => {
    const { options } = world({ [`GET ${PRM}`]: { json: resourceOf(named) } });
    const error = await fails(oauth({ ...options, clientId: 'c', clientSecret: 's', issuer }));
    expect(error.code).toBe('issuer_mismatch');
    return error.message;
  };

  test('by a slash: that is said', async () => {
    const hint = 'Only the slash at the end differs: the MCP server, or the option "issuer", must name it exactly';
    expect(await mismatch([`${AS}/`], AS)).toContain(hint);
    expect(await mismatch(['https://other.example.com', AS], `${AS}/`)).toContain(hint);
    expect(await mismatch([`${AS}/tenant`], AS)).not.toContain('slash');
  });

  test('is named, with its tenant', async () => {
    const tenant = 'https://login.example.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0';
    expect(await mismatch([tenant], AS)).toContain(`The server's authorization server is ${tenant}, and not`);
  });

  test('is not named at any length, nor are any number of them', async () => {
    const many = Array.from({ length: 20 }, (_, index) => `https://as-${index}.example.com`);
    const message = await mismatch(many, AS);
    expect(message).toContain('https://as-9.example.com and 10 more, and not');
    expect(message).not.toContain('as-10.');
    expect((await mismatch([`${AS}/${'x'.repeat(50_000)}`], AS)).length).toBeLessThan(1000);
  });
});

test('scopes of a stranger are told without what a terminal could take for commands, and not all of them', async () => {
  const scopes = ['read\u001b[2J', ...Array.from({ length: 99 }, (_, index) => `s${index}${'x'.repeat(200)}`)];
  const { message } = await fails(bearer('token'), () => tooLittle(scopes.join(' ')));
  expect(message).toMatch(/It needs the scopes read \[2J .* and 90 more$/);
  expect(message).not.toContain('\u001b');
  expect(message.length).toBeLessThan(1500);
});

describe('a token that the server refuses', () => {
  const invalid = (description: string) => () =>
    refused(`Bearer error="invalid_token", error_description="${description}", scope="read write"`);

  test.each(['The token has expired', 'The token was not issued for this server'])('says why: %s', async (why) => {
    const error = await fails(bearer('token'), invalid(why));
    expect(error.message).toBe(`The server refuses the token with status 401 (invalid_token): ${why}`);
    expect(error.challenge).toEqual({
      scheme: 'bearer',
      error: 'invalid_token',
      description: why,
      scopes: ['read', 'write'],
    });
  });

  test('says which scopes it needs where that is what it lacks, or nothing else is said', async () => {
    const { message } = await fails(bearer('token'), () => tooLittle('read', ', error_description="Not enough"'));
    expect(message).toBe(
      'The server refuses the token with status 403 (insufficient_scope): Not enough. It needs the scopes read',
    );
    const unsaid = await fails(bearer('token'), () => refused('Bearer scope="read"'));
    expect(unsaid.message).toMatch(/\(invalid_token\)\. It needs the scopes read$/);
  });

  test('that was just issued says why, and so does the next request within a minute', async () => {
    const { options } = world();
    const authorizer = oauth(options).authorizer(connectionTo());
    const guard = invalid('The token was not issued for this server');
    const first = await failureOf(enter(authorizer, guard));
    expect(first.message).toMatch(
      /^The server refuses the token that its authorization server has just given for it: The token was not issued for this server\n/,
    );
    expect(first.message).not.toContain('scope');
    const revoked = world();
    const accepted = oauth(revoked.options).authorizer(connectionTo());
    await enter(accepted, letsIn('access-1'));
    revoked.change({ [`POST ${AS}/token`]: { status: 400, json: { error: 'invalid_grant' } } });
    const second = await failureOf(
      enter(accepted, () => refused('Bearer error="invalid_token", error_description="The token was revoked"')),
    );
    expect(second.message).toMatch(
      /^The server refuses what a person has just signed in for: The token was revoked\. They are not asked again at once\n/,
    );
  });

  test('shows a description without control characters and without what may be a token', async () => {
    const { message } = await fails(
      bearer('token'),
      invalid(`Bad\u001b[2J token ${'a1B2'.repeat(20)} ${'x '.repeat(500)}`),
    );
    expect(message).toContain('(invalid_token): Bad [2J token [...] x x');
    expect(message.length).toBeLessThan(300);
  });

  test('says why no more scopes are asked for', async () => {
    const { options } = world();
    const authorizer = oauth({ ...options, scopes: ['read'] }).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    const error = await failureOf(enter(authorizer, () => tooLittle('read', ', error_description="Ask an admin"')));
    expect(error.message).toBe(
      'The server refuses the request for want of scope: it needs read. All of it was asked for already. The server says: Ask an admin',
    );
  });
});

describe('signing in with a code', () => {
  test('where there is no such thing registers nobody, and names another way', async () => {
    const metadata = metadataOf(AS, { device_authorization_endpoint: undefined });
    const { fetch, lines } = world({ [`GET ${METADATA}`]: { json: metadata } });
    const onCode = vi.fn();
    const error = await fails(deviceCode({ fetch, onCode }), () => refused());
    expect(error).toMatchObject({ code: 'endpoint_missing', isRetryable: false });
    expect(error.message).toMatch(/no "device_authorization_endpoint".*use oauth\(\)/);
    expect(lines()).toEqual([`GET ${PRM}`, `GET ${METADATA}`]);
    expect(onCode).not.toHaveBeenCalled();
  });
});

test.each(['https://app.example.com/callback', 'https://localhost/callback', 'http://127.0.0.2/callback'])(
  'nobody can be waited for at %s, so it needs "authorize"',
  (redirectUri) => {
    expect(() => oauth({ redirectUri })).toThrow(TypeError);
    expect(() => oauth({ redirectUri })).toThrow(/^oauth: "redirectUri" is not of this machine.*pass "authorize"/);
    expect(() => oauth({ redirectUri, authorize: async () => undefined })).not.toThrow();
  },
);

test.each(['http://127.0.0.1/callback', 'http://localhost:7777/', 'http://[::1]:7777/callback'])(
  'somebody can be waited for at %s',
  (redirectUri) => {
    expect(() => oauth({ redirectUri })).not.toThrow();
  },
);
