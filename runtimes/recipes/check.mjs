/** Speaks to the server of a recipe in plain HTTP, by the name it has in production. */

import { equal } from '../smoke/assert.mjs';
// What test/frameworks speaks with, compiled when this file is put in its place.
import { newestCall, openSession, send } from './speaker.mjs';

const call = newestCall('hello', { name: 'Ada' });
const textIn = ({ result }) => result.content[0].text;

async function newest(port) {
  const answer = await send(port, call);
  equal([answer.status, answer.type], [200, 'application/json']);
  equal(textIn(await answer.json()), 'Hello Ada!');
}

const olderCall = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'hello', arguments: { name: 'Ada' }, _meta: { progressToken: 7 } },
};

async function withSession(port) {
  const headers = await openSession(port);
  const answer = await send(port, { headers, message: olderCall });
  equal(answer.type, 'text/event-stream');
  equal((await answer.next()).method, 'notifications/progress');
  equal(textIn(await answer.next()), 'Hello Ada!');
  equal(await answer.next(), undefined, 'What comes after the answer');
  const stream = await send(port, { method: 'GET', headers });
  equal([stream.status, stream.type], [200, 'text/event-stream']);
  equal((await send(port, { method: 'DELETE', headers })).status, 204);
  equal(await stream.next(), undefined, 'What comes after the end of the session');
  equal((await send(port, { method: 'DELETE', headers })).status, 404);
}

async function withoutSession(port) {
  const answer = await send(port, { headers: { 'mcp-protocol-version': '2025-11-25' }, message: olderCall });
  equal(textIn(await answer.json()), 'Hello Ada!');
}

async function foreign(port) {
  const answer = await send(port, { ...call, headers: { ...call.headers, host: 'evil.example' } });
  equal(answer.status, 403);
}

/** The columns of a recipe. */
export function recipeChecks({ port, isSessionless = false }) {
  return new Map([
    ['call', () => newest(port)],
    ['2025-11-25', () => (isSessionless ? withoutSession(port) : withSession(port))],
    ['host', () => foreign(port)],
  ]);
}
