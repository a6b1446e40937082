// Valid messages of clients, in every revision, for the server of server-program.mjs.

export const STATEFUL = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const STATELESS = '2026-07-28';
export const REVISIONS = [...STATEFUL, STATELESS];

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } };
const INFO = { name: 'fuzzer', version: '1' };
const ITEMS = { items: { a: [1, 2], b: [] }, name: 'Ada', when: 7 };

const TOOLS = [
  ['zod', ITEMS],
  ['valibot', ITEMS],
  ['arktype', ITEMS],
  ['raw', { ...ITEMS, kind: 'one', list: [{ a: 1 }, { b: 'x' }] }],
  ['header', { region: 'eu', count: 3 }],
  ['echo', { text: 'hello' }],
  ['output', { value: 3 }],
  ['throws', {}],
  ['refuses', {}],
  ['progress', { count: 5 }],
  ['change', { uri: 'note://7/today' }],
  ['scoped', { path: 'a' }],
  ['hidden', {}],
];

/** Tools whose handlers wait for the client: their calls may stay unanswered. */
const WAITING_TOOLS = [
  ['ask', {}],
  ['ask-twice', {}],
  ['sample', {}],
  ['roots', {}],
  ['visit', {}],
  ['wait', {}],
];

const URIS = [
  'note://1',
  'note://7/today',
  'file:///a/b/c.txt',
  'users://42/profile',
  'search://x?q=a&page=2',
  'none://here',
];
const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
const ODD_RESULTS = ['boxed', 'to-json', 'undefined', 'function', 'cycle', 'bigint', 'text', 'array', 'date'];

const SHARED = [
  ...TOOLS.map(([name, args]) => ['tools/call', { name, arguments: args }]),
  ...LISTS.map((method) => [method, {}]),
  ...URIS.map((uri) => ['resources/read', { uri }]),
  ['tools/list', { cursor: 'WyJ0b29scyIsImVjaG8iXQ==' }],
  ['prompts/get', { name: 'review', arguments: { language: 'ruby', code: 'puts 1' } }],
  ['prompts/get', { name: 'plain' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'language', value: 'r' } }],
  [
    'completion/complete',
    {
      ref: { type: 'ref/resource', uri: 'users://{id}/profile' },
      argument: { name: 'id', value: '4' },
      context: { arguments: { id: '4' } },
    },
  ],
  ...ODD_RESULTS.map((kind) => ['fuzz/result', { kind }]),
  ['fuzz/unknown', { a: 1 }],
];

const WAITING = WAITING_TOOLS.map(([name, args]) => ['tools/call', { name, arguments: args }]);

const OF_SESSIONS = [
  ['ping', {}],
  ['logging/setLevel', { level: 'debug' }],
  ['resources/subscribe', { uri: 'note://7/today' }],
  ['resources/unsubscribe', { uri: 'note://7/today' }],
];

const OF_STATELESS = [
  ['server/discover', {}],
  [
    'subscriptions/listen',
    { notifications: { toolsListChanged: true, resourceSubscriptions: ['note://7/today', 'file:///a'] } },
  ],
  [
    'tools/call',
    {
      name: 'ask',
      arguments: {},
      requestState: 'v1.AAAA',
      inputResponses: { 'elicit-1': { action: 'accept', content: { name: 'Ada' } } },
    },
  ],
];

const INPUT_RESPONSES = new Map([
  ['elicitation/create', { action: 'accept', content: { name: 'Ada' } }],
  ['sampling/createMessage', { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello' } }],
  ['roots/list', { roots: [{ uri: 'file:///a', name: 'a' }] }],
]);

export function initialize(version, id = 'hello') {
  return {
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { protocolVersion: version, capabilities: CAPABILITIES, clientInfo: INFO },
  };
}

export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** A request of a revision. */
export function request(random, revision, id) {
  const isStateless = revision === STATELESS;
  const own = isStateless ? OF_STATELESS : OF_SESSIONS;
  const pool = random.weighted([
    [60, SHARED],
    [20, own],
    [15, WAITING],
    [2, isStateless ? OF_SESSIONS : OF_STATELESS],
  ]);
  const [method, params] = random.pick(pool);
  const progressToken = random.pick([undefined, 'p1', 7, id]);
  const meta = { ...(progressToken === undefined ? {} : { progressToken }), ...(isStateless ? claim(random) : {}) };
  const isEmpty = Object.keys(meta).length === 0;
  return { jsonrpc: '2.0', id, method, params: isEmpty ? params : { ...params, _meta: meta } };
}

function claim(random) {
  return {
    'io.modelcontextprotocol/protocolVersion': STATELESS,
    'io.modelcontextprotocol/clientCapabilities': random.chance(0.8) ? CAPABILITIES : {},
    'io.modelcontextprotocol/clientInfo': INFO,
    ...(random.chance(0.2) ? { 'io.modelcontextprotocol/logLevel': 'debug' } : {}),
  };
}

/** A message that wants no answer: notifications, and responses to requests that were never made. `ids` are those in use. */
export function notice(random, ids) {
  const id = random.chance(0.7) && ids.length > 0 ? random.pick(ids) : random.pick([0, -1, 'none', 1e15]);
  const requestId = id;
  return random.pick([
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'fuzz' } },
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: 1, total: 2 } },
    { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
    INITIALIZED,
    { jsonrpc: '2.0', method: 'tools/call', params: { name: 'echo', arguments: { text: 'no id' } } },
    { jsonrpc: '2.0', id, result: {} },
    { jsonrpc: '2.0', id, error: { code: -32603, message: 'no' } },
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'no' } },
  ]);
}

/** The answer of a well-behaved client to a request of the server. */
export function answerTo({ id, method }) {
  const result = INPUT_RESPONSES.get(method);
  return result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } };
}

/** The same request again with the input that its result asked for; undefined if it asked for nothing. */
export function followUp(request, { resultType, inputRequests, requestState } = {}) {
  if (resultType !== 'input_required' || typeof request?.params !== 'object') return undefined;
  const answers = Object.entries(inputRequests ?? {}).map(([key, { method }]) => [key, INPUT_RESPONSES.get(method)]);
  const params = { ...request.params, inputResponses: Object.fromEntries(answers), requestState };
  return { ...request, id: `${String(request.id).slice(0, 20)} again`, params };
}

/** Whether a request is answered without anything else being sent. */
export function isAnsweredAlone({ method, params }) {
  if (method === 'subscriptions/listen') return false;
  return method !== 'tools/call' || !WAITING_TOOLS.some(([name]) => name === params?.name);
}
