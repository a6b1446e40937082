// Input that is costly by its amount: each gives the messages of one connection, up to about a megabyte.

import { STATELESS } from './corpus.mjs';
import { longText } from './odd-values.mjs';

const META = { 'io.modelcontextprotocol/protocolVersion': STATELESS, 'io.modelcontextprotocol/clientCapabilities': {} };

/** A request of a revision, for the tools and methods of server-program.mjs. */
export function requestOf(revision, id, method, params) {
  const meta = revision === STATELESS ? { _meta: { ...META, ...params._meta } } : {};
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, ...meta } }));
}

const call = (revision, id, name, args) => requestOf(revision, id, 'tools/call', { name, arguments: args });

/** One long key above many wrong items, for each schema library. */
export function longKeys(random, revision) {
  const tool = random.pick(['zod', 'valibot', 'arktype', 'raw']);
  const key = JSON.parse(`"${longText(random, random.pick([4000, 65_536, 130_000]))}"`);
  const items = { [key]: Array(random.pick([100, 5000, 32_000, 64_000])).fill('x') };
  return [call(revision, 1, tool, { items })];
}

/** Many long names made of characters that JSON pointers escape. */
export function longNames(random, revision) {
  const tool = random.pick(['zod', 'valibot', 'arktype', 'raw']);
  const unit = random.pick(['~', '/', '~/', '%']);
  const names = Array.from(
    { length: random.pick([1, 20, 200]) },
    (_, index) => `${unit.repeat(random.pick([100, 4000]))}${index}`,
  );
  return [call(revision, 1, tool, { items: Object.fromEntries(names.map((name) => [name, 'wrong'])) })];
}

/** Long URIs, cursors and tokens. */
export function longStrings(random, revision) {
  const text = longText(random, random.pick([8000, 100_000, 1_000_000, 3_600_000]));
  const long = JSON.parse(`"${text}"`);
  const uri = random.pick(['note://', 't3://', 'file:///', 'users://', '']) + long;
  const listen = { notifications: { resourceSubscriptions: [uri] } };
  return random.pick([
    () => [requestOf(revision, 1, 'resources/read', { uri })],
    () => [requestOf(revision, 1, 'resources/subscribe', { uri })],
    () => [requestOf(revision, 1, 'subscriptions/listen', listen)],
    () => [
      requestOf(revision, 1, 'completion/complete', {
        ref: { type: 'ref/resource', uri },
        argument: { name: 'id', value: '' },
      }),
    ],
    () => [
      requestOf(revision, 1, 'completion/complete', {
        ref: { type: 'ref/prompt', name: 'review' },
        argument: { name: 'language', value: long },
      }),
    ],
    () => [requestOf(revision, 1, 'tools/list', { cursor: long })],
    () => [requestOf(revision, 1, 'tools/call', { name: long, arguments: {} })],
    () => [
      requestOf(revision, 1, 'tools/call', {
        name: 'progress',
        arguments: { count: 50 },
        _meta: { progressToken: long },
      }),
    ],
    () => [requestOf(revision, 1, 'tools/call', { name: 'ask', arguments: {}, requestState: long })],
    () => [requestOf(revision, 1, long, {})],
  ])();
}

/** Many messages that cannot be read. */
export function unreadable(random) {
  const message = Buffer.from(
    random.pick([
      'x',
      '{',
      '[',
      '"',
      '}',
      ' x',
      'null',
      '7',
      '[]',
      '{}',
      '{"id":1}',
      '\u001b[2J',
      'x'.repeat(200),
      '{"a":'.repeat(30),
    ]),
  );
  return Array(Math.min(random.pick([500, 2000, 20_000, 100_000]), Math.floor(800_000 / message.length))).fill(message);
}

/** Many subscriptions and listens. */
export function subscriptions(random, revision) {
  const uris = (count, length) =>
    Array.from({ length: count }, (_, index) => `note://${'s'.repeat(length)}${index}/today`);
  if (revision !== STATELESS)
    return uris(random.pick([50, 500]), random.pick([10, 2000])).map((uri, id) =>
      requestOf(revision, id, 'resources/subscribe', { uri }),
    );
  const listens = random.pick([1, 20]);
  return Array.from({ length: listens }, (_, id) =>
    requestOf(revision, id, 'subscriptions/listen', {
      notifications: { resourceSubscriptions: uris(random.pick([10, 1000]), 40) },
    }),
  );
}

/** Calls that do not end, with arguments that stay in memory until they do. */
export function waitingCalls(random, revision) {
  const text = 'w'.repeat(random.pick([10, 10_000]));
  return Array.from({ length: random.pick([50, 150]) }, (_, id) =>
    call(revision, id, random.pick(['wait', 'ask', 'sample']), { text }),
  );
}

export const floods = [
  longKeys,
  longKeys,
  longNames,
  longStrings,
  longStrings,
  longStrings,
  unreadable,
  unreadable,
  subscriptions,
  waitingCalls,
];
