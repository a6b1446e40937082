// `node bench/servers/check.mjs`: starts every candidate in every mode it claims, and prints what it answers. Fails if the
// sum, the shape of the answer, the list, the resource or the prompt is not what it should be. The last columns only tell
// what is so: how many of three progress notifications arrive, and whether wrong arguments and a foreign Host are refused.
import { createInterface } from 'node:readline';
import { setTimeout as pass } from 'node:timers/promises';
import { acceptOf, CANDIDATES } from '../candidates.mjs';
import { RES_URI } from '../floor/spec.mjs';
import { once } from '../load/http.mjs';
import { ADD, bytesOf, greet, LIST, messageOf } from '../modes.mjs';
import { startServer } from '../server-process.mjs';

const MODERN = '2026-07-28';
const PATIENCE_MS = 10_000;
const TOOLS = ['echo', 'add', 'burst', 'tool_0', 'tool_1'];
const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'check', version: '1.0.0' } };
const READ = { method: 'resources/read', params: { uri: RES_URI } };
const GET = { method: 'prompts/get', params: { name: 'hello' } };
const call = (name, args, _meta) => ({
  method: 'tools/call',
  params: { name, arguments: args, ...(_meta && { _meta }) },
});
const BURST = call('burst', { n: 3 }, { progressToken: 'three' });
const WRONG = call('add', { a: 'two', b: 3 });

/** What is asked for, and whether the answer is right. */
const CHECKS = {
  add: [ADD, ({ result }) => result.structuredContent.sum === 5],
  list: [LIST, ({ result }) => result.tools.map(({ name }) => name).join() === TOOLS.join()],
  resource: [READ, ({ result }) => result.contents[0].text === 'static'],
  prompt: [GET, ({ result }) => result.messages[0].content.text === 'hello'],
};
const COLUMNS = ['answer', ...Object.keys(CHECKS), 'progress', 'wrong arguments', 'foreign Host'];

/** The messages of a body, which is one, or a stream of events. */
function messagesIn(body) {
  const data = body.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
  return (data.length > 0 ? data : [body]).flatMap((text) => (text.startsWith('{') ? [JSON.parse(text)] : []));
}

async function askOverHttp(candidate, mode, { port }) {
  const talk = await greet(port, mode, acceptOf(candidate, mode));
  let id = 0;
  const send = async (request, change = (bytes) => bytes) => {
    const { status, headers, body } = await once(port, change(bytesOf(talk, request, ++id)));
    return { status, type: headers.get('content-type')?.split(';')[0] ?? '', messages: messagesIn(body) };
  };
  const foreign = (bytes) => Buffer.from(bytes.toString().replace('host: 127.0.0.1', 'host: elsewhere.example'));
  const { status } = await send(ADD, foreign);
  return { send, host: status === 200 ? 'answered' : 'refused' };
}

async function askOverStdio(isNew, { child }) {
  const lines = createInterface({ input: child.stdout });
  const write = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  let id = 0;
  const send = (request) =>
    new Promise((resolve) => {
      const message = messageOf(isNew, request, ++id);
      const messages = [];
      const take = (line) => {
        messages.push(JSON.parse(line));
        if (messages.at(-1).id !== message.id) return;
        lines.off('line', take);
        resolve({ status: 200, type: '', messages });
      };
      lines.on('line', take);
      write(message);
    });
  if (!isNew) {
    await send({ method: 'initialize', params: CLIENT });
    write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  return { send, host: '' };
}

const isRefused = ({ error, result } = {}) => Boolean(error ?? result?.isError);

async function cellsOf({ send, host }, mode) {
  const cells = new Map();
  const faults = [];
  for (const [column, [request, isRight]] of Object.entries(CHECKS)) {
    const { type, messages } = await send(request);
    const shape = mode === 'stdio' ? '' : { json: 'application/json', sse: 'text/event-stream' }[mode.split('-')[1]];
    const [answer] = messages;
    const isOk = messages.length === 1 && type === shape && Boolean(answer.result) && isRight(answer);
    cells.set('answer', type).set(column, isOk ? 'ok' : 'FAILED');
    if (!isOk) faults.push(`${column}: ${type} ${JSON.stringify(messages).slice(0, 300)}`);
  }
  const { messages } = await send(BURST);
  cells.set('progress', `${messages.filter(({ method }) => method === 'notifications/progress').length} of 3`);
  const wrong = await send(WRONG);
  cells.set('wrong arguments', isRefused(wrong.messages.at(-1)) ? 'refused' : 'taken').set('foreign Host', host);
  return { cells, faults };
}

async function rowOf(candidate, { mode, isNew }) {
  const name = `${candidate.name}, ${mode}${isNew ? ` ${MODERN}` : ''}`;
  const late = async () => {
    await pass(PATIENCE_MS, undefined, { ref: false });
    throw new Error('It did not answer in time');
  };
  let server;
  try {
    server = await startServer(candidate.file, { mode, tools: TOOLS.length });
    const asked = mode === 'stdio' ? askOverStdio(isNew, server) : askOverHttp(candidate, mode, server);
    return { name, ...(await Promise.race([asked.then((ask) => cellsOf(ask, mode)), late()])) };
  } catch (error) {
    return { name, cells: new Map(), faults: [error.message] };
  } finally {
    await server?.stop();
  }
}

function waysOf({ modes, revisions }) {
  const ways = modes.map((mode) => ({ mode, isNew: false }));
  return modes.includes('stdio') && revisions.includes(MODERN) ? [{ mode: 'stdio', isNew: true }, ...ways] : ways;
}

const rows = [];
for (const candidate of CANDIDATES) for (const way of waysOf(candidate)) rows.push(await rowOf(candidate, way));

const table = [
  ['', ...COLUMNS],
  ...rows.map(({ name, cells }) => [name, ...COLUMNS.map((column) => cells.get(column) ?? 'FAILED')]),
];
const widths = table[0].map((_, index) => Math.max(...table.map((cells) => cells[index].length)));
for (const cells of table)
  console.log(
    cells
      .map((cell, index) => cell.padEnd(widths[index]))
      .join('  ')
      .trimEnd(),
  );
for (const { name, faults } of rows) for (const fault of faults) console.log(`\n${name}: ${fault}`);
if (rows.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
