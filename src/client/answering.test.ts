import { describe, expect, test, vi } from 'vitest';
import { RpcError } from '../jsonrpc/errors.ts';
import type { ClientCapabilities } from '../protocol/model/capabilities.ts';
import type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
import { type AnswerHandlers, answerQuestion, capabilitiesOf, type QuestionContext } from './answering.ts';

const ctx: QuestionContext = {
  signal: new AbortController().signal,
  server: { name: 'Asker', version: '1.0.0' },
};

/** Puts a question as it comes from the wire. */
function ask(
  question: { method: string; params?: unknown },
  handlers: AnswerHandlers,
  declared: ClientCapabilities = capabilitiesOf(handlers),
): Promise<InputResponse> {
  return answerQuestion(question as InputRequest, handlers, declared, ctx);
}

const nameForm = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const form = (more: object = {}) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Who are you?', requestedSchema: nameForm, ...more },
});
const page = (url: unknown) => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Please log in', url },
});
const hello = [{ role: 'user', content: { type: 'text', text: 'Hello' } }];
const sampling = (more: object = {}) => ({
  method: 'sampling/createMessage',
  params: { messages: hello, maxTokens: 100, ...more },
});
const said = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hi' } } as const;
const roots = { method: 'roots/list' };

const refused = (message: string): object => ({ name: 'RpcError', code: -32602, message });
const undeclared = (name: string): object =>
  refused(`This client did not declare the capability "${name}", which the question needs`);

describe('what is declared', () => {
  test('is what there are handlers for', () => {
    expect(capabilitiesOf({})).toEqual({});
    expect(capabilitiesOf({ onElicit: () => ({ action: 'cancel' }) })).toEqual({ elicitation: { form: {}, url: {} } });
    expect(capabilitiesOf({ onSample: () => said })).toEqual({ sampling: { tools: {}, context: {} } });
  });

  test.each<[string, AnswerHandlers]>([
    ['a fixed list', { roots: [{ uri: 'file:///home' }] }],
    ['an empty list', { roots: [] }],
    ['a handler', { onListRoots: () => ({ roots: [] }) }],
  ])('is roots, and that their list can change, by %s', (_, handlers) => {
    expect(capabilitiesOf(handlers)).toEqual({ roots: { listChanged: true } });
  });
});

describe('a question that may not be asked', () => {
  test.each<[string, ClientCapabilities, { method: string; params?: unknown }]>([
    ['elicitation.form', {}, form()],
    ['elicitation.form', { elicitation: { url: {} } }, form()],
    ['elicitation.url', { elicitation: { form: {} } }, page('https://example.com')],
    ['elicitation.url', { elicitation: {} }, page('https://example.com')],
    ['sampling', {}, sampling()],
    ['sampling.tools', { sampling: {} }, sampling({ tools: [] })],
    ['sampling.tools', { sampling: {} }, sampling({ toolChoice: { mode: 'auto' } })],
    ['roots', {}, roots],
  ])('for want of %s is refused by name, and no handler hears of it: declared %j', async (name, declared, question) => {
    const handler = vi.fn();
    const handlers = { onElicit: handler, onSample: handler, onListRoots: handler };
    // Of a feature that was not declared at all there is no method.
    const code = Object.keys(declared).length > 0 ? -32602 : -32601;
    await expect(ask(question, handlers, declared)).rejects.toMatchObject({ ...undeclared(name), code });
    expect(handler).not.toHaveBeenCalled();
  });

  test.each(['ping', 'tools/call', 'elicitation/createx', 'constructor', ''])('is no question: %j', async (method) => {
    await expect(ask({ method, params: {} }, {})).rejects.toMatchObject({ name: 'RpcError', code: -32601 });
  });

  test.each([form(), page('https://example.com'), sampling(), roots])(
    'is $method where it was declared but nobody is there to answer',
    async (question) => {
      const declared = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
      await expect(ask(question, {}, declared)).rejects.toMatchObject({ name: 'RpcError', code: -32601 });
    },
  );

  test.each([new RpcError(-1, 'User rejected sampling request'), new Error('The model is out of order')])(
    'is what a handler throws at, and that is left as it is: %s',
    async (error) => {
      await expect(ask(sampling(), { onSample: () => Promise.reject(error) })).rejects.toBe(error);
      const onSample = (): never => {
        throw error;
      };
      await expect(ask(sampling(), { onSample })).rejects.toBe(error);
    },
  );
});

describe('elicitation by form', () => {
  test('reaches the handler as it came, with who asks', async () => {
    const onElicit = vi.fn(() => ({ action: 'accept' as const, content: { name: 'Ann' } }));
    const question = form({ 'x-hint': 1, _meta: { a: 1 } });
    expect(await ask(question, { onElicit })).toEqual({ action: 'accept', content: { name: 'Ann' } });
    expect(onElicit).toHaveBeenCalledExactlyOnceWith(question.params, ctx);
  });

  test('is what a question without a mode is', async () => {
    const onElicit = vi.fn(async () => ({ action: 'decline' as const }));
    const params = { message: 'Who are you?', requestedSchema: nameForm };
    expect(await ask({ method: 'elicitation/create', params }, { onElicit }, { elicitation: {} })).toEqual({
      action: 'decline',
    });
    expect(onElicit).toHaveBeenCalledWith({ ...params, mode: 'form' }, ctx);
  });

  test('gets the defaults of the form', async () => {
    const requestedSchema = { type: 'object', properties: { age: { type: 'integer', default: 30 } } };
    const answer = ask(form({ requestedSchema }), { onElicit: () => ({ action: 'accept', content: {} }) });
    expect(await answer).toEqual({ action: 'accept', content: { age: 30 } });
  });

  test('is not answered by what does not follow the form', async () => {
    const answer = ask(form(), { onElicit: () => ({ action: 'accept', content: { name: 7 } }) });
    await expect(answer).rejects.toThrow(
      new TypeError('onElicit: the answer does not follow the form: /name must be string'),
    );
  });

  test.each([
    [{ message: undefined }, '"message" must be a string'],
    [{ message: 1 }, '"message" must be a string'],
    [{ mode: 'page' }, '"mode" must be "form" or "url"'],
    [{ mode: null }, '"mode" must be "form" or "url"'],
    [{ requestedSchema: undefined }, '"requestedSchema" must be an object schema with properties'],
    [
      { requestedSchema: { type: 'object', properties: { a: { minLength: -1 } } } },
      '"requestedSchema" cannot be used: /properties/a/minLength must be an integer of at least 0',
    ],
  ])('is refused with %j, before anybody is asked', async (more, message) => {
    const onElicit = vi.fn();
    await expect(ask(form(more), { onElicit })).rejects.toMatchObject(refused(message));
    expect(onElicit).not.toHaveBeenCalled();
  });

  test.each([undefined, null, [], 'x'])('needs params, not %j', async (params) => {
    const onElicit = vi.fn();
    const answer = ask({ method: 'elicitation/create', params }, { onElicit });
    await expect(answer).rejects.toMatchObject(refused('"message" must be a string'));
  });
});

describe('elicitation by URL', () => {
  test.each(['https://example.com/a?b=c#d', 'http://localhost:3000', 'HTTPS://EXAMPLE.COM'])(
    '%s is shown to the handler, and its consent carries nothing else',
    async (url) => {
      const onElicit = vi.fn(() => ({ action: 'accept' as const, content: { token: 'x' } }));
      expect(await ask(page(url), { onElicit })).toEqual({ action: 'accept' });
      expect(onElicit).toHaveBeenCalledExactlyOnceWith(page(url).params, ctx);
    },
  );

  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'ftp://example.com',
    '/login',
    'example.com',
    'https:example.com',
    'https://',
    'https://exa mple.com',
    ' https://example.com',
    'https://example.com/\n',
    'https://bank.example@evil.example/',
    'https://:secret@example.com/',
    '',
    'https://bank.example\\@evil.example/',
    'https://evil.example/\u202egnp.knab',
    `https://example.com/${'x'.repeat(8192)}`,
  ])('%j is refused, and nobody is asked', async (url) => {
    const onElicit = vi.fn();
    await expect(ask(page(url), { onElicit })).rejects.toMatchObject(
      refused('"url" must be an absolute http or https URL in ASCII, without a user name or password'),
    );
    expect(onElicit).not.toHaveBeenCalled();
  });

  test('a question without a URL is refused', async () => {
    await expect(ask(page(undefined), { onElicit: vi.fn() })).rejects.toMatchObject(refused('"url" must be a string'));
  });
});

describe('sampling', () => {
  test('reaches the handler as it came, and its answer is sent', async () => {
    const onSample = vi.fn(async () => said);
    const question = sampling({ tools: [], 'x-hint': 1 });
    expect(await ask(question, { onSample })).toBe(said);
    expect(onSample).toHaveBeenCalledExactlyOnceWith(question.params, ctx);
  });

  test.each([
    [{ messages: undefined }, '"messages" must be an array of messages'],
    [{ messages: {} }, '"messages" must be an array of messages'],
    [{ messages: ['Hello'] }, '"messages" must be an array of messages'],
    [{ maxTokens: undefined }, '"maxTokens" must be a number'],
    [{ maxTokens: '100' }, '"maxTokens" must be a number'],
  ])('is refused with %j, and nobody is asked', async (more, message) => {
    const onSample = vi.fn();
    await expect(ask(sampling(more), { onSample })).rejects.toMatchObject(refused(message));
    expect(onSample).not.toHaveBeenCalled();
  });

  test.each([
    undefined,
    'Hi',
    {},
    { ...said, role: 'system' },
    { ...said, model: undefined },
    { ...said, content: 'Hi' },
  ])('is not answered by %j', async (answer) => {
    const onSample = (): never => answer as never;
    await expect(ask(sampling(), { onSample })).rejects.toThrow(
      new TypeError('onSample: the answer must have a "role", a "model" and "content"'),
    );
  });
});

describe('roots', () => {
  const home = { uri: 'file:///home/ann', name: 'Home' };

  test('are the fixed list', async () => {
    expect(await ask(roots, { roots: [home] })).toEqual({ roots: [home] });
    expect(await ask({ ...roots, params: { _meta: {} } }, { roots: [] })).toEqual({ roots: [] });
  });

  test('are what the handler says, even if there is a list too', async () => {
    const onListRoots = vi.fn(() => ({ roots: [home] }));
    expect(await ask(roots, { roots: [], onListRoots })).toEqual({ roots: [home] });
    expect(onListRoots).toHaveBeenCalledExactlyOnceWith(ctx);
  });

  test.each(['/home/ann', 'https://example.com', 'file:/home/ann', 'file://[', ''])(
    'are file:// URIs, not %j',
    async (uri) => {
      const text = '/roots/1/uri must be a file:// URI';
      const list = [home, { uri }];
      await expect(ask(roots, { roots: list })).rejects.toThrow(new TypeError(`roots: ${text}`));
      await expect(ask(roots, { onListRoots: async () => ({ roots: list }) })).rejects.toThrow(
        new TypeError(`onListRoots: ${text}`),
      );
    },
  );

  test.each([undefined, [home], { roots: home }, { roots: [{ name: 'Home' }] }])('are not %j', async (answer) => {
    const onListRoots = (): never => answer as never;
    await expect(ask(roots, { onListRoots })).rejects.toThrow(
      new TypeError('onListRoots: each of the "roots" must have a "uri"'),
    );
  });
});
