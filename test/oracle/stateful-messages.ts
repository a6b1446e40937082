/** Messages of the stateful revisions that are right, and others with one thing wrong with them. */

import type { SchemaRevision } from './definitions.ts';
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

const FROM_JUNE: readonly SchemaRevision[] = ['2025-06-18', '2025-11-25'];

/** Right in every stateful revision they name. */
export const GOOD_STATEFUL: readonly Sample[] = [
  { what: 'initialize', from: 'client', message: request('initialize', { protocolVersion: '2025-11-25', ...opening }) },
  {
    what: 'its result',
    from: 'server',
    answers: 'initialize',
    message: result({
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
      serverInfo: server,
    }),
  },
  { what: 'a request without params', from: 'client', message: request('tools/list') },
  { what: 'an empty result', from: 'server', answers: 'ping', message: result({}) },
  { what: 'text', from: 'server', answers: 'tools/call', message: result({ content: [text] }) },
  {
    what: 'structured content',
    from: 'server',
    answers: 'tools/call',
    message: result({ content: [], structuredContent: { sum: 3 } }),
  },
  { what: 'a form', from: 'server', message: request('elicitation/create', elicit), revisions: FROM_JUNE },
  { what: 'a question to the model', from: 'client', answers: 'sampling/createMessage', message: result(sampled) },
  { what: 'a log message', from: 'server', message: notification('notifications/message', { level: 'info', data: 1 }) },
  { what: 'an error', from: 'server', message: refusal(-32601) },
  {
    what: 'an error about an unreadable message',
    from: 'server',
    message: { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } },
    revisions: ['2024-11-05', '2025-03-26', '2025-06-18'],
  },
  {
    what: 'an error about an unreadable message',
    from: 'server',
    message: { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' } },
    revisions: ['2025-11-25'],
  },
  {
    what: 'a batch',
    from: 'client',
    message: [request('ping'), notification('notifications/initialized')],
    revisions: ['2025-03-26'],
  },
  {
    what: 'URL elicitation required',
    from: 'server',
    message: refusal(-32042, {
      elicitations: [{ mode: 'url', message: 'Sign in', url: 'https://example.com/', elicitationId: 'e' }],
    }),
    revisions: ['2025-11-25'],
  },
];

/** Wrong in every stateful revision they name, each for a reason of its own. */
export const WRONG_STATEFUL: readonly Sample[] = [
  {
    what: 'a request that is an answer as well',
    from: 'client',
    message: { jsonrpc: '2.0', id: 1, method: 'ping', result: {} },
  },
  { what: 'no jsonrpc', from: 'client', message: { id: 1, method: 'ping' } },
  { what: 'an id that is a fraction', from: 'client', message: { jsonrpc: '2.0', id: 1.5, method: 'ping' } },
  {
    what: 'initialize without clientInfo',
    from: 'client',
    message: request('initialize', { protocolVersion: 'x', capabilities: {} }),
  },
  { what: 'a method of a later revision', from: 'client', message: request('server/discover', { _meta: CALLER }) },
  {
    what: 'a method of the other side',
    from: 'client',
    message: request('sampling/createMessage', { messages: [], maxTokens: 1 }),
  },
  { what: 'a method of nobody', from: 'client', message: request('com.example/echo') },
  { what: 'a tool call without a name', from: 'client', message: request('tools/call', { arguments: {} }) },
  {
    what: 'prompt arguments that are no strings',
    from: 'client',
    message: request('prompts/get', { name: 'p', arguments: { n: 1 } }),
  },
  { what: 'a log level that does not exist', from: 'client', message: request('logging/setLevel', { level: 'loud' }) },
  { what: 'a result that answers nothing', from: 'server', message: result({}) },
  { what: 'a result without content', from: 'server', answers: 'tools/call', message: result({}) },
  {
    what: 'an unknown kind of content',
    from: 'server',
    answers: 'tools/call',
    message: result({ content: [{ type: 'video', data: 'AAAA', mimeType: 'video/mp4' }] }),
  },
  {
    what: 'content of the wrong shape',
    from: 'server',
    answers: 'tools/call',
    message: result({ content: [{ type: 'text' }] }),
  },
  {
    what: 'a tool without a schema',
    from: 'server',
    answers: 'tools/list',
    message: result({ tools: [{ name: 'greet' }] }),
  },
  {
    what: 'a resource without a name',
    from: 'server',
    answers: 'resources/list',
    message: result({ resources: [{ uri: 'test://a' }] }),
  },
  {
    what: 'a suggestion that is no string',
    from: 'server',
    answers: 'completion/complete',
    message: result({ completion: { values: [1] } }),
  },
  {
    what: 'progress without a token',
    from: 'server',
    message: notification('notifications/progress', { progress: 1 }),
  },
  { what: 'an update without a URI', from: 'server', message: notification('notifications/resources/updated', {}) },
  { what: 'an error without a message', from: 'server', message: { jsonrpc: '2.0', id: 1, error: { code: -32600 } } },
  {
    what: 'a root that is no file',
    from: 'client',
    answers: 'roots/list',
    message: result({ roots: [{ name: 'home' }] }),
  },
  {
    what: 'an error with an id of null',
    from: 'server',
    message: { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } },
    revisions: ['2025-11-25'],
  },
  {
    what: 'an error of a handler with an id of null',
    from: 'server',
    message: { jsonrpc: '2.0', id: null, error: { code: -32603, message: 'Internal error' } },
  },
  {
    what: 'an error without an id',
    from: 'server',
    message: { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' } },
    revisions: ['2024-11-05', '2025-03-26', '2025-06-18'],
  },
  {
    what: 'sound',
    from: 'server',
    answers: 'tools/call',
    message: result({ content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] }),
    revisions: ['2024-11-05'],
  },
  {
    what: 'a link',
    from: 'server',
    answers: 'prompts/get',
    message: result({ messages: [{ role: 'user', content: { type: 'resource_link', uri: 'test://a', name: 'a' } }] }),
    revisions: ['2024-11-05', '2025-03-26'],
  },
  {
    what: 'a form',
    from: 'server',
    message: request('elicitation/create', elicit),
    revisions: ['2024-11-05', '2025-03-26'],
  },
  {
    what: 'a form with a choice of several values',
    from: 'server',
    message: request('elicitation/create', {
      message: 'Which?',
      requestedSchema: {
        type: 'object',
        properties: { many: { type: 'array', items: { type: 'string', enum: ['a'] } } },
      },
    }),
    revisions: ['2025-06-18'],
  },
  {
    what: 'a question by URL',
    from: 'server',
    message: request('elicitation/create', {
      mode: 'url',
      message: 'Sign in',
      url: 'https://example.com/',
      elicitationId: 'e',
    }),
    revisions: ['2025-06-18'],
  },
  {
    what: 'a question by URL without its id',
    from: 'server',
    message: request('elicitation/create', { mode: 'url', message: 'Sign in', url: 'https://example.com/' }),
    revisions: ['2025-11-25'],
  },
  {
    what: 'structured content that is a list',
    from: 'server',
    answers: 'tools/call',
    message: result({ content: [], structuredContent: [1] }),
    revisions: FROM_JUNE,
  },
  {
    what: 'URL elicitation required, without saying which',
    from: 'server',
    message: refusal(-32042, {}),
    revisions: ['2025-11-25'],
  },
  {
    what: 'a batch',
    from: 'client',
    message: [request('ping')],
    revisions: ['2024-11-05', '2025-06-18', '2025-11-25'],
  },
  { what: 'an empty batch', from: 'client', message: [], revisions: ['2025-03-26'] },
  {
    what: 'a batch with initialize',
    from: 'client',
    message: [request('initialize', { protocolVersion: 'x', ...opening })],
    revisions: ['2025-03-26'],
  },
];
