/** What is done on every runtime, column by column: the same file runs in all of them, so it has nothing but the web's own. */

import { connect, isMcpError } from 'mcpp/client';
import { equal, eventAfter, matches, pause, rejection, textOf, until } from './assert.mjs';

const LATEST = '2026-07-28';
const OLDER = ['2025-11-25', '2025-06-18', '2025-03-26'];

const ANSWERS = {
  onElicit: ({ message }) => ({
    action: 'accept',
    content: /size/.test(message) ? { size: 'large' } : { name: 'Ada' },
  }),
};

/** Connects, does something, and ends the connection whatever happened. What nobody waits for must not go wrong, either. */
async function connected(target, options, action) {
  const faults = [];
  const mcp = await connect(target, { ...ANSWERS, onError: (error) => faults.push(error), ...options });
  try {
    await action(mcp);
  } finally {
    await mcp.close();
  }
  equal(
    faults.map(({ message }) => message),
    [],
    'onError',
  );
}

/** A check of a connection to the URL; `send` is what the runtime sends requests with, if not its own means. */
const over = (action, options) => (about) => {
  const sending = about.send ? { fetch: about.send } : {};
  return connected(about.url, { ...sending, ...options }, action);
};

async function tools(mcp) {
  const names = [];
  for await (const { name } of mcp.tools()) names.push(name);
  equal(names.slice(0, 3), ['add', 'greet', 'count']);
  equal(mcp.serverInfo?.name, 'smoke');
}

async function call(mcp) {
  const { structuredContent } = await mcp.callTool('add', { a: 2, b: 3 });
  equal(structuredContent, { sum: 5 });
  equal(textOf(await mcp.callTool('greet', { name: 'Zoë' })), 'Hello Zoë');
}

async function refused(mcp) {
  const result = await mcp.callTool('add', { a: 2, b: 300 });
  equal(result.isError, true);
  matches(textOf(result), /^Invalid arguments for tool add: \/b /);
  equal((await mcp.callTool('greet', { name: '<b>' })).isError, true);
}

async function progress(mcp) {
  const steps = [];
  await mcp.callTool('count', {}, { onProgress: (step) => steps.push(step) });
  equal(
    steps.map((step) => [step.progress, step.total, step.message]),
    [1, 2, 3].map((done) => [done, 3, `step ${done}`]),
  );
}

async function elicit(mcp) {
  equal(textOf(await mcp.callTool('order')), 'A large one for Ada, paid 1 time');
}

async function watch(mcp) {
  equal((await eventAfter(mcp, 'tools', () => mcp.callTool('grow'))).type, 'tools');
  const { tools: after } = await mcp.listTools();
  equal(
    after.some(({ name }) => name === 'grown'),
    true,
  );
  equal((await eventAfter(mcp, 'test://note', () => mcp.callTool('touch'))).uri, 'test://note');
}

/** Two clients listen at the same time, both have nothing to hear for a while, and then both are told. */
function together(about) {
  const both = over((first) => over((second) => bothHear(first, second))(about));
  return both(about);
}

async function bothHear(first, second) {
  await eventAfter(first, 'tools', () =>
    eventAfter(second, 'tools', async () => {
      await pause(500);
      await first.callTool('grow');
    }),
  );
}

async function cancel(mcp) {
  const giveUp = new AbortController();
  const { signal } = giveUp;
  const error = await rejection(mcp.callTool('wait', {}, { signal, onProgress: () => giveUp.abort() }));
  equal(error.code, 'aborted');
  await until(async () => textOf(await mcp.callTool('stopped')) === 'true', 'The handler was not told');
}

async function errors(mcp) {
  const unknown = await rejection(mcp.callTool('nothing'));
  equal([unknown.code, isMcpError(unknown)], [-32602, true]);
  equal((await rejection(mcp.request('nothing/there'))).code, -32601);
  equal(typeof (await rejection(mcp.readResource('test://nowhere'))).code, 'number');
  const broken = await mcp.callTool('break');
  equal(broken.isError, true);
  equal(/secret|pg:/.test(textOf(broken)), false, 'The error of a handler got out');
}

async function reads(mcp) {
  equal((await mcp.readResource('test://note')).contents[0].text, 'A note');
  const { messages } = await mcp.getPrompt('ask', { about: 'cows' });
  equal(messages[0].content.text, 'Tell me of cows');
}

async function everything(mcp) {
  for (const action of [tools, call, refused, progress, reads, elicit, watch, cancel, errors]) await action(mcp);
}

/** An older revision, from the handshake to the end of the session if there is one. */
function older(revision) {
  return async (about) => {
    const withoutSession = [tools, call, progress, reads, errors];
    const withSession = [watch, cancel, ...(revision >= '2025-06-18' ? [elicit] : [])];
    const actions = about.isSessionless ? withoutSession : [...withoutSession, ...withSession];
    const check = over(
      async (mcp) => {
        equal(mcp.revision, revision);
        for (const action of actions) await action(mcp);
      },
      { revision },
    );
    await check(about);
  };
}

/** Which requests are not let in, said with the web's own fetch. */
async function guarded({ url, send = fetch, isSessionless }) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const status = async (init) => {
    const response = await send(url, { method: 'POST', body, ...init, headers: { ...headers, ...init.headers } });
    await response.text();
    return response.status;
  };
  equal(await status({ headers: { origin: 'https://evil.example' } }), 403, 'a foreign page');
  equal(await status({ headers: { 'content-type': 'text/plain' } }), 415, 'no JSON');
  const guessed = await status({ headers: { 'mcp-session-id': 'guessed' } });
  if (!isSessionless) equal(guessed, 404, 'a guessed session');
  equal(await status({ body: '{"jsonrpc":' }), 400, 'half a body');
  equal(await status({ method: 'PUT' }), 405, 'PUT');
  // Whoever is refused while it still writes may not get to read why.
  const large = status({ body: ' '.repeat(4 * 1024 * 1024 + 1) });
  equal(await large.catch(() => 413), 413, 'a large body');
  const page = await send(url, { headers: { accept: 'text/html' } });
  matches(await page.text(), /smoke/);
}

/** The columns in their order; each is given `{ url, server, send, isSessionless }` and throws if something is wrong. */
export const CHECKS = new Map([
  ['in process', ({ server }) => connected(server(), {}, everything)],
  ['tools', over(tools)],
  ['call', over(call)],
  ['refused', over(refused)],
  ['progress', over(progress)],
  ['reads', over(reads)],
  ['elicit', over(elicit)],
  ['watch', over(watch)],
  ['cancel', over(cancel)],
  ['errors', over(errors)],
  ['revision', over(async (mcp) => equal(mcp.revision, LATEST))],
  ['two', together],
  ...OLDER.map((revision) => [revision, older(revision)]),
  ['guarded', guarded],
]);
