// HTTP requests as text: valid ones for a message, and broken ones.

import { STATELESS } from '../corpus.mjs';
import { chunkBorders } from '../mutations.mjs';
import { oddValue } from '../odd-values.mjs';

/** The header fields of a POST, by name. `{host}`, `{session}` and `{endpoint}` are filled in when it is sent. */
export function post(body, { session = false, token, version, target = '/mcp', message } = {}) {
  const fields = [
    ['Host', '{host}'],
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
    ['Content-Length', String(body.length)],
    ...(session ? [['Mcp-Session-Id', '{session}']] : []),
    ...(version ? [['MCP-Protocol-Version', version]] : []),
    ...(token ? [['Authorization', `Bearer ${token}`]] : []),
    ...(version === STATELESS ? repeated(message) : []),
  ];
  return { line: `POST ${target} HTTP/1.1`, fields, body, isFramed: true };
}

/** The header fields that repeat the body. */
function repeated(message) {
  const { method, params } = message ?? {};
  const name = params?.name ?? params?.uri;
  const { region, count } = params?.arguments ?? {};
  const isPlain = (text) => typeof text === 'string' && text.length < 2000 && /^[\t -~]*$/.test(text);
  return [
    ...(isPlain(method) ? [['Mcp-Method', method]] : []),
    ...(isPlain(name) ? [['Mcp-Name', name]] : []),
    ...(isPlain(region) ? [['Mcp-Param-Region', region]] : []),
    ...(Number.isInteger(count) && params?.name === 'header' ? [['Mcp-Param-Count', String(count)]] : []),
  ];
}

export function get(accept, { session = false, token, last } = {}) {
  const fields = [
    ['Host', '{host}'],
    ['Accept', accept],
    ...(session ? [['Mcp-Session-Id', '{session}']] : []),
    ...(token ? [['Authorization', `Bearer ${token}`]] : []),
    ...(last ? [['Last-Event-ID', last]] : []),
  ];
  return { line: 'GET /mcp HTTP/1.1', fields, body: Buffer.alloc(0), isFramed: true };
}

const ODD_FIELDS = [
  [
    'Content-Type',
    [
      'text/plain',
      'application/json; charset=utf-16',
      'APPLICATION/JSON',
      '',
      'application/json, text/plain',
      'multipart/form-data',
    ],
  ],
  [
    'Accept',
    ['*/*', 'text/plain', '', 'application/json', 'text/event-stream', 'text/html', ';;;,,,', 'application/json;q=0'],
  ],
  ['Content-Encoding', ['gzip', 'identity', 'br, gzip', '']],
  ['Mcp-Session-Id', ['unknown', '__proto__', '', 'x'.repeat(5000), '{session}, {session}', 'é']],
  ['MCP-Protocol-Version', ['2024-11-05', '2025-03-26', '2025-11-25', STATELESS, '1999-01-01', '__proto__', '']],
  ['Mcp-Method', ['tools/list', 'ping', '', '=?base64?eHg=?=', '=?base64?%%%?=', 'x'.repeat(3000)]],
  ['Mcp-Name', ['echo', '', '=?base64?eHg=?=', '\u00ff', '__proto__']],
  ['Mcp-Param-Region', ['eu', 'us', '', '=?base64?ZXU=?=', '7']],
  ['Mcp-Param-Count', ['3', '3.0', '1e999', 'x', '']],
  ['Last-Event-ID', ['0', 'x', '{session}/1', '__proto__', '1'.repeat(2000)]],
  [
    'Authorization',
    [
      'Bearer reader',
      'Bearer writer',
      'Bearer',
      'Basic reader',
      `Bearer ${'x'.repeat(9000)}`,
      'Bearer reader, Bearer writer',
    ],
  ],
  ['Host', ['evil.example', 'localhost:99999', '127.999.999.999', '', 'localhost', '[::1]', '127.0.0.1']],
  ['Origin', ['http://evil.example', 'null', 'http://localhost', '{', '']],
  ['Expect', ['100-continue', 'nothing']],
  ['Connection', ['close', 'upgrade', 'keep-alive, x']],
  ['Upgrade', ['websocket', 'h2c']],
  ['X-Forwarded-For', ['127.0.0.1', 'x'.repeat(1000)]],
  ['Content-Length', ['0', '1', '99999999', '-1', 'x', '5, 5']],
  ['Transfer-Encoding', ['chunked', 'gzip, chunked', 'identity']],
];

const FRAMING = ['content-length', 'transfer-encoding', 'expect', 'connection', 'upgrade', 'host'];
const METHODS = ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'post', 'M-SEARCH'];
const TARGETS = [
  '/',
  '//mcp',
  '/mcp?sessionId=unknown',
  '/mcp?sessionId={session}',
  '/mcp/../mcp',
  '/%6dcp',
  '*',
  'http://evil.example/mcp',
  `/mcp?${'q'.repeat(3000)}`,
];

/** A request with something wrong in its head. */
export function brokenRequest(request, random) {
  const changed = { ...request, fields: request.fields.map((field) => [...field]) };
  for (let times = 1 + random.below(2); times > 0; times--) {
    random.pick([changeField, changeField, changeField, dropField, doubleField, changeLine, oddField])(changed, random);
  }
  return changed;
}

function touch(request, name) {
  if (FRAMING.includes(name.toLowerCase())) request.isFramed = false;
}

function changeField(request, random) {
  const [name, values] = random.pick(ODD_FIELDS);
  const field = request.fields.find(([known]) => known === name);
  touch(request, name);
  if (field && random.chance(0.8)) field[1] = random.pick(values);
  else request.fields.push([name, random.pick(values)]);
}

function dropField(request, random) {
  const [[name] = ['']] = request.fields.splice(random.below(request.fields.length), 1);
  touch(request, name);
}

function doubleField(request, random) {
  const field = random.pick(request.fields);
  if (!field) return;
  touch(request, field[0]);
  request.fields.push([...field]);
}

function changeLine(request, random) {
  const [method, target, version] = request.line.split(' ');
  request.isFramed = false;
  request.line = random.pick([
    () => `${random.pick(METHODS)} ${target} ${version}`,
    () => `${method} ${random.pick(TARGETS)} ${version}`,
    () => `${method} ${target} ${random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9', ''])}`,
  ])();
}

function oddField(request, random) {
  const value = JSON.stringify(oddValue(random)).slice(0, random.pick([100, 20_000]));
  request.isFramed = false;
  request.fields.push([random.pick(['X-Odd', 'Mcp-Name', 'Mcp-Method', 'Origin', '__proto__', 'Bad Name']), value]);
}

/** The bytes of a request, and where to cut them. */
export function bytesOf({ line, fields, body }, values) {
  const filled = [line, ...fields.map(([name, value]) => `${name}: ${value}`)]
    .join('\r\n')
    .replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  return Buffer.concat([Buffer.from(`${filled}\r\n\r\n`, 'latin1'), body]);
}

/** Writes bytes in pieces. */
export async function writeCut(connection, bytes, random) {
  let start = 0;
  for (const end of [...chunkBorders(bytes.length, random), bytes.length]) {
    connection.write(bytes.subarray(start, end));
    start = end;
    if (end < bytes.length) await new Promise((resolve) => setImmediate(resolve));
  }
}
