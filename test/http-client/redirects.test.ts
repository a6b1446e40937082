/** Redirects: followed on the same origin where nothing of the request changes, and nowhere else. */

import { connect } from 'mcpp/client';
import { afterEach, expect, test, vi } from 'vitest';
import { type Answers, closeAll, type RawServer, rawServer, stateful, stateless, type Visit } from './raw-server.ts';

afterEach(closeAll);

/** Answers at `/new`, and sends everything else there. */
async function moved(status: number, answers: Answers): Promise<RawServer> {
  const everywhere = Object.entries(answers).map(([method, answer]) => [
    method,
    (visit: Visit) => (visit.path === '/new?a=b' ? answer(visit) : visit.status(status, { location: '/new?a=b' })),
  ]);
  return rawServer(Object.fromEntries(everywhere));
}

const CALL: Answers = { 'tools/call': (visit) => visit.result({ resultType: 'complete', content: [] }) };

test.each([307, 308])('%i on the same origin is followed, with method, body and headers', async (status) => {
  const server = await moved(status, { ...stateless, ...CALL });
  const mcp = await connect(server.url, { headers: { authorization: 'Bearer t' } });
  await mcp.callTool('tool');
  await mcp.close();
  const paths = server.visits.map(({ path, message }) => `${message.method} ${path}`);
  const [discover, again] = server.visits;
  expect(discover?.message).toEqual(again?.message);
  expect(again?.headers).toMatchObject({ authorization: 'Bearer t', 'mcp-method': 'server/discover' });
  // Whoever moved for good is asked there from then on.
  expect(paths).toEqual([
    'server/discover /mcp',
    'server/discover /new?a=b',
    ...(status === 307 ? ['tools/call /mcp'] : []),
    'tools/call /new?a=b',
  ]);
});

test('a session that moved goes on there, its stream and its end included', async () => {
  const server = await moved(308, { ...stateful(), GET: (visit) => visit.event({ data: '' }) });
  const mcp = await connect(server.url);
  await vi.waitFor(() => expect(server.to('GET')).toHaveLength(1));
  await mcp.close();
  expect(server.to('GET')[0]?.path).toBe('/new?a=b');
  expect(server.to('DELETE')[0]?.path).toBe('/new?a=b');
});

test.each([301, 302, 303])('%i is not followed, since it does not keep the request', async (status) => {
  const server = await moved(status, stateless);
  await expect(connect(server.url)).rejects.toMatchObject({
    code: 'http-error',
    status,
    message: `${server.url} redirects to ${server.origin}/new (HTTP status ${status}), which is not followed: a POST would become a GET. If that is the MCP server, connect to ${server.origin}/new`,
  });
  expect(server.visits).toHaveLength(1);
});

test.each([307, 308])('%i to another origin is not followed: neither headers nor body get there', async (status) => {
  const other = await rawServer(stateless);
  const server = await rawServer({
    'server/discover': (visit) => visit.status(status, { location: other.url }),
  });
  const connecting = connect(server.url, { headers: { authorization: 'Bearer secret' } });
  await expect(connecting).rejects.toMatchObject({
    code: 'http-error',
    status,
    message: `${server.url} redirects to ${other.url} (HTTP status ${status}), which is not followed: it is another origin. If you trust it, connect to ${other.url}`,
  });
  expect(other.visits).toEqual([]);
});

test('more than three in a row are an error, and so is one without a place', async () => {
  const round = await rawServer({ 'server/discover': (visit) => visit.status(307, { location: '/mcp' }) });
  await expect(connect(round.url)).rejects.toMatchObject({
    code: 'http-error',
    status: 307,
    message: `${round.url} redirects to ${round.url} (HTTP status 307), which is not followed: it is redirect 4 of one request. If that is the MCP server, connect to ${round.url}`,
  });
  expect(round.visits).toHaveLength(4);
  const nowhere = await rawServer({ 'server/discover': (visit) => visit.status(307) });
  await expect(connect(nowhere.url)).rejects.toMatchObject({
    status: 307,
    message: `${nowhere.url} redirects (HTTP status 307) and names no http: or https: URL: connect to the URL that the server has now`,
  });
});

test('the error of a redirect repeats neither secrets of the target nor control characters', async () => {
  const location = 'https://user:secret@example.com/\u202emcp?token=secret#secret';
  const server = await rawServer({
    'server/discover': (visit) => visit.status(302, { location: Buffer.from(location).toString('latin1') }),
  });
  const error: Error = await connect(server.url).then(
    () => new Error('It was followed'),
    (thrown) => thrown,
  );
  expect(error.message).toContain('redirects to https://example.com/');
  expect(error.message).not.toContain('secret');
  expect(error.message).not.toContain('\u202e');
});
