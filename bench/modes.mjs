// What a client says: over HTTP in each mode (2026-07-28, 2025-11-25 with a session, 2025-11-25 without one; answered with
// JSON, or with an event stream), and over stdio in both revisions.
import { inTurn, once, requestBytes } from './load/http.mjs';
import { ask, tell } from './load/stdio.mjs';

export const HTTP_MODES = ['modern-json', 'modern-sse', 'stateful-json', 'stateful-sse', 'stateless-json'];

const NEW = '2026-07-28';
const OLD = '2025-11-25';
const CLIENT = { name: 'bench', version: '1.0.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': NEW,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': CLIENT,
};
const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: OLD, capabilities: {}, clientInfo: CLIENT },
};
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** The call every section makes. */
export const ADD = { method: 'tools/call', params: { name: 'add', arguments: { a: 2, b: 3 } } };
export const LIST = { method: 'tools/list' };

const isModern = (mode) => mode.startsWith('modern');

/** A request with this id as a message, with what every request of 2026-07-28 says. */
export function messageOf(isNew, { method, params = {} }, id) {
  return {
    jsonrpc: '2.0',
    id,
    method,
    params: isNew ? { ...params, _meta: { ...params._meta, ...META } } : params,
  };
}

/** Bytes of a request with this id, for a server that was talked to in this mode. */
export function bytesOf({ mode, session, accept, revision = OLD }, request, id) {
  const { method, params = {} } = request;
  const name = params.name ?? params.uri;
  return requestBytes({
    message: messageOf(isModern(mode), request, id),
    headers: {
      ...(accept ? { accept } : {}),
      'mcp-protocol-version': isModern(mode) ? NEW : revision,
      ...(isModern(mode) ? { 'mcp-method': method, ...(name ? { 'mcp-name': name } : {}) } : {}),
      ...(session ? { 'mcp-session-id': session } : {}),
    },
  });
}

/** Says what has to be said before the first call; gives what the next requests need. */
export async function greet(port, mode, accept) {
  const talk = { mode, accept, session: undefined };
  if (isModern(mode)) return talk;
  const greeted = { ...talk, ...agreedIn(await once(port, bytesOf(talk, INITIALIZE, 0))) };
  if (mode.startsWith('stateful') !== Boolean(greeted.session)) {
    throw new Error(`The server opened ${greeted.session ? 'a' : 'no'} session in mode ${mode}`);
  }
  good(await once(port, initializedBytes(greeted)));
  return greeted;
}

/** Opens so many sessions over one connection. */
export async function greetOften(port, mode, count) {
  const talk = { mode, accept: undefined, session: undefined };
  const hello = bytesOf(talk, INITIALIZE, 0);
  const answers = await inTurn(port, Array(count).fill(hello));
  const greeted = answers.map((answer) => ({ ...talk, ...agreedIn(answer) }));
  for (const answer of await inTurn(port, greeted.map(initializedBytes))) good(answer);
  return greeted;
}

/** The same over stdio, in 2025-11-25. */
export async function greetOverStdio(child) {
  const { error } = await ask(child, messageOf(false, INITIALIZE, 'hello'));
  if (error) throw new Error(`The server answered initialize with ${JSON.stringify(error)}`);
  tell(child, INITIALIZED);
}

const initializedBytes = ({ session, revision }) =>
  requestBytes({
    message: INITIALIZED,
    headers: { ...(session ? { 'mcp-session-id': session } : {}), 'mcp-protocol-version': revision },
  });

/** The session, if there is one, and the revision, which is an older one with some. */
function agreedIn(answer) {
  const { headers, body } = good(answer);
  const revision = /"protocolVersion":\s*"([\d-]+)"/.exec(body)?.[1];
  if (!revision) throw new Error(`The server answered initialize with ${body.slice(0, 500)}`);
  return { session: headers.get('mcp-session-id'), revision };
}

function good(answer) {
  const { status, body } = answer;
  if (status < 200 || status > 299) throw new Error(`The server answered ${status}: ${body.slice(0, 500)}`);
  return answer;
}
