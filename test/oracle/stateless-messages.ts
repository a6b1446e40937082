/** Messages of 2026-07-28 that are right, and others with one thing wrong with them. */

import {
  CALLER,
  elicit,
  notification,
  opening,
  refusal,
  request,
  result,
  type Sample,
  sampled,
  server,
  text,
} from './sample.ts';

const complete = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': server } };
const kept = { ...complete, ttlMs: 0, cacheScope: 'private' };
const asking = (params: object): object => ({ inputRequests: { a: { method: 'elicitation/create', params } } });
const call = (params: object): object => request('tools/call', { name: 'greet', _meta: CALLER, ...params });

/** Right in 2026-07-28. */
export const GOOD_STATELESS: readonly Sample[] = [
  { what: 'discover', from: 'client', message: request('server/discover', { _meta: CALLER }) },
  {
    what: 'its result',
    from: 'server',
    answers: 'server/discover',
    message: result({ ...kept, supportedVersions: ['2026-07-28'], capabilities: {} }),
  },
  { what: 'a call', from: 'client', message: call({ arguments: {} }) },
  {
    what: 'a result of any structure',
    from: 'server',
    answers: 'tools/call',
    message: result({ ...complete, content: [], structuredContent: [1] }),
  },
  {
    what: 'questions',
    from: 'server',
    answers: 'tools/call',
    message: result({
      resultType: 'input_required',
      inputRequests: {
        a: { method: 'elicitation/create', params: { mode: 'form', ...elicit } },
        b: { method: 'elicitation/create', params: { mode: 'url', message: 'Sign in', url: 'https://example.com/' } },
        c: { method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: text }], maxTokens: 9 } },
        d: { method: 'roots/list' },
      },
    }),
  },
  {
    what: 'answers',
    from: 'client',
    message: call({ requestState: 's', inputResponses: { a: { action: 'decline' }, c: sampled, d: { roots: [] } } }),
    asked: { a: 'elicitation/create', c: 'sampling/createMessage', d: 'roots/list' },
  },
  {
    what: 'an error without an id',
    from: 'server',
    message: { jsonrpc: '2.0', error: { code: -32700, message: 'No' } },
  },
  {
    what: 'an unsupported version',
    from: 'server',
    message: refusal(-32022, { supported: ['2026-07-28'], requested: 'x' }),
  },
  {
    what: 'a missing capability',
    from: 'server',
    message: refusal(-32021, { requiredCapabilities: { elicitation: { form: {} } } }),
  },
  {
    what: 'the acknowledgement of a subscription',
    from: 'server',
    message: notification('notifications/subscriptions/acknowledged', {
      notifications: { toolsListChanged: true },
      _meta: { 'io.modelcontextprotocol/subscriptionId': 'listen' },
    }),
  },
];

/** Wrong in 2026-07-28, each for a reason of its own. */
export const WRONG_STATELESS: readonly Sample[] = [
  { what: 'no _meta', from: 'client', message: request('tools/list', {}) },
  { what: 'no params', from: 'client', message: request('tools/list') },
  {
    what: 'no capabilities in _meta',
    from: 'client',
    message: request('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }),
  },
  {
    what: 'a handshake',
    from: 'client',
    message: request('initialize', { protocolVersion: '2026-07-28', ...opening, _meta: CALLER }),
  },
  { what: 'a request of the server', from: 'server', message: request('roots/list') },
  { what: 'a result of the client', from: 'client', answers: 'roots/list', message: result({ roots: [] }) },
  {
    what: 'progress of the client',
    from: 'client',
    message: notification('notifications/progress', { progressToken: 1, progress: 1 }),
  },
  { what: 'no resultType', from: 'server', answers: 'tools/call', message: result({ content: [text] }) },
  {
    what: 'a resultType that is not known',
    from: 'server',
    answers: 'tools/call',
    message: result({ content: [text], resultType: 'task' }),
  },
  {
    what: 'an unknown kind of content',
    from: 'server',
    answers: 'tools/call',
    message: result({ ...complete, content: [{ type: 'video' }] }),
  },
  {
    what: 'a list without ttlMs',
    from: 'server',
    answers: 'tools/list',
    message: result({ ...complete, cacheScope: 'private', tools: [] }),
  },
  {
    what: 'a list that anybody may keep, in other words',
    from: 'server',
    answers: 'tools/list',
    message: result({ ...kept, cacheScope: 'shared', tools: [] }),
  },
  {
    what: 'a tool without a schema',
    from: 'server',
    answers: 'tools/list',
    message: result({ ...kept, tools: [{ name: 'a' }] }),
  },
  {
    what: 'a tool whose icon has no source',
    from: 'server',
    answers: 'tools/list',
    message: result({ ...kept, tools: [{ name: 'a', inputSchema: { type: 'object' }, icons: [{}] }] }),
  },
  {
    what: 'neither questions nor state',
    from: 'server',
    answers: 'tools/call',
    message: result({ resultType: 'input_required' }),
  },
  {
    what: 'questions where none may be asked',
    from: 'server',
    answers: 'tools/list',
    message: result({ resultType: 'input_required', requestState: 's' }),
  },
  {
    what: 'questions that may be kept',
    from: 'server',
    answers: 'resources/read',
    message: result({ ...kept, resultType: 'input_required', requestState: 's' }),
  },
  {
    what: 'a form without a schema',
    from: 'server',
    answers: 'tools/call',
    message: result({ resultType: 'input_required', ...asking({ mode: 'form', message: 'Name?' }) }),
  },
  {
    what: 'a question of another method',
    from: 'server',
    answers: 'tools/call',
    message: result({ resultType: 'input_required', inputRequests: { a: { method: 'ping' } } }),
  },
  { what: 'a state that is no string', from: 'client', message: call({ requestState: 7 }) },
  {
    what: 'an answer to something else',
    from: 'client',
    message: call({ inputResponses: { a: { roots: [] } } }),
    asked: { a: 'elicitation/create' },
  },
  { what: 'an answer that is none', from: 'client', message: call({ inputResponses: { a: { yes: true } } }) },
  { what: 'a cancellation of nothing', from: 'client', message: notification('notifications/cancelled', {}) },
  {
    what: 'an error with an id of null',
    from: 'server',
    message: { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'No' } },
  },
  { what: 'an unsupported version without saying which', from: 'server', message: refusal(-32022, { supported: [] }) },
  { what: 'a missing capability without saying which', from: 'server', message: refusal(-32021) },
  { what: 'the old code of a missing resource', from: 'server', message: refusal(-32002) },
  { what: 'a code that is reserved', from: 'server', message: refusal(-32042, { elicitations: [] }) },
  {
    what: 'an acknowledgement of nothing',
    from: 'server',
    message: notification('notifications/subscriptions/acknowledged', {}),
  },
  {
    what: 'the end of a subscription without its id',
    from: 'server',
    answers: 'subscriptions/listen',
    message: result({ resultType: 'complete', _meta: {} }),
  },
  { what: 'a batch', from: 'client', message: [request('tools/list', { _meta: CALLER })] },
];
