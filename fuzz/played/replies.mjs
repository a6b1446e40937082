// What a well-behaved server answers, in every revision, to the client of client-program.mjs.

import { STATELESS } from '../corpus.mjs';

const INFO = { name: 'played', version: '1' };
const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

const text = { type: 'string' };
const OBJECT = { type: 'object' };
const OUTPUT = {
  type: 'object',
  properties: {
    sum: { type: 'number', minimum: 0 },
    name: { type: 'string', pattern: '^[A-Z][a-z]+$', maxLength: 50 },
    list: { type: 'array', items: { anyOf: [{ type: 'integer' }, { $ref: '#/$defs/node' }] }, maxItems: 100 },
  },
  required: ['sum'],
  $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, additionalProperties: false } },
};
const TOOLS = [
  {
    name: 'structured',
    description: 'Adds',
    inputSchema: OBJECT,
    outputSchema: OUTPUT,
    annotations: { readOnlyHint: true },
  },
  {
    name: 'plain',
    title: 'Plain',
    inputSchema: { type: 'object', properties: { region: { ...text, 'x-mcp-header': 'Region' } } },
  },
  { name: 'ask', inputSchema: OBJECT },
];
const FORM = {
  type: 'object',
  properties: { name: text, age: { type: 'integer', minimum: 0 }, kind: { type: 'string', enum: ['a', 'b'] } },
  required: ['name'],
};
const ELICIT = { method: 'elicitation/create', params: { mode: 'form', message: 'Name?', requestedSchema: FORM } };
const SAMPLE = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 5 },
};
const ROOTS = { method: 'roots/list', params: {} };
const STRUCTURED = { sum: 3, name: 'Ada', list: [1, { next: { next: {} } }] };

const LISTS = {
  'tools/list': { tools: TOOLS },
  'resources/list': { resources: [{ uri: 'note://1', name: 'one', mimeType: 'text/plain' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'notes' }] },
  'prompts/list': { prompts: [{ name: 'review', arguments: [{ name: 'language', required: true }] }] },
};

const RESULTS = {
  'resources/read': {
    contents: [
      { uri: 'note://1', mimeType: 'text/plain', text: 'one' },
      { uri: 'note://1', blob: 'AAAA' },
    ],
  },
  'prompts/get': { description: 'Reviews', messages: [{ role: 'user', content: { type: 'text', text: 'Review' } }] },
  'completion/complete': { completion: { values: ['ruby', 'rust'], total: 2, hasMore: false } },
  'logging/setLevel': {},
  'resources/subscribe': {},
  'resources/unsubscribe': {},
  ping: {},
};

/**
 * The messages that answer a request, in their order: requests and notifications of the server, then the response. Undefined as the
 * last one: the request stays open.
 */
export function repliesTo({ id, method, params = {} }, revision, page) {
  const isStateless = revision === STATELESS;
  const result = (value) => [
    {
      jsonrpc: '2.0',
      id,
      result: isStateless
        ? { ...value, resultType: value.resultType ?? 'complete', _meta: { [SERVER_INFO]: INFO } }
        : value,
    },
  ];
  const error = (code) => [{ jsonrpc: '2.0', id, error: { code, message: 'no' } }];
  if (method === 'server/discover') {
    if (!isStateless) return error(-32601);
    return result({ supportedVersions: [STATELESS], capabilities: CAPABILITIES, ttlMs: 1000, cacheScope: 'public' });
  }
  if (method === 'initialize')
    return isStateless
      ? error(-32601)
      : result({ protocolVersion: revision, capabilities: CAPABILITIES, serverInfo: INFO, instructions: 'None' });
  if (method === 'subscriptions/listen') return listening(id, params);
  if (method === 'tools/call') return [...before(params), ...toolReplies(id, params, isStateless, result)];
  if (LISTS[method])
    return result({
      ...LISTS[method],
      ...(page === 1 ? { nextCursor: 'second' } : {}),
      ...(isStateless ? { ttlMs: 1000, cacheScope: 'private' } : {}),
    });
  return RESULTS[method]
    ? result({
        ...RESULTS[method],
        ...(isStateless && method === 'resources/read' ? { ttlMs: 5, cacheScope: 'private' } : {}),
      })
    : error(-32601);
}

function listening(id, { notifications = {} }) {
  const _meta = { [SUBSCRIPTION]: id };
  return [
    { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } },
    { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } },
    { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note://1', _meta } },
    undefined,
  ];
}

function before({ _meta: { progressToken } = {} }) {
  const progress = {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken, progress: 1, total: 2, message: 'half' },
  };
  const log = {
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: 'info', logger: 'l', data: { a: 1 } },
  };
  return progressToken === undefined ? [] : [progress, log];
}

function toolReplies(id, { name, requestState }, isStateless, result) {
  const done = {
    content: [{ type: 'text', text: 'done' }],
    ...(name === 'structured' ? { structuredContent: STRUCTURED } : {}),
  };
  if (name !== 'ask') return result(done);
  if (isStateless)
    return requestState
      ? result(done)
      : result({
          resultType: 'input_required',
          inputRequests: { a: ELICIT, b: SAMPLE, c: ROOTS },
          requestState: 'state',
        });
  const asked = [ELICIT, SAMPLE, ROOTS].map((one, index) => ({
    jsonrpc: '2.0',
    id: `ask ${JSON.stringify(id)} ${index}`,
    ...one,
  }));
  return [...asked, ...result(done)];
}
