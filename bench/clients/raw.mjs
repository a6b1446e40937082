// A client written by hand: a program's stdin and stdout, or http.request with connections that are kept. It parses and
// stringifies, and checks nothing.
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { FLOOR } from './floor-command.mjs';
import { ADD, measured } from './measured.mjs';

const [where, revision, url] = process.argv.slice(2);
const isModern = revision === '2026-07-28';
const INFO = { name: 'raw', version: '1.0.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': INFO,
};

let lastId = 0;
const messageOf = (method, params) => ({
  jsonrpc: '2.0',
  id: ++lastId,
  method,
  params: isModern ? { ...params, _meta: META } : params,
});

function overStdio() {
  const { stdin, stdout } = spawn(FLOOR.command, FLOOR.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let begun = '';
  stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (begun + text).split('\n');
    begun = lines.pop();
    for (const line of lines) {
      const { id, result } = JSON.parse(line);
      waiting.get(id)(result);
      waiting.delete(id);
    }
  });
  return (method, params) => {
    const message = messageOf(method, params);
    return new Promise((resolve) => {
      waiting.set(message.id, resolve);
      stdin.write(`${JSON.stringify(message)}\n`);
    });
  };
}

function overHttp() {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port, pathname } = new URL(url);
  let session;
  const headersOf = (method, params, length) => ({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': length,
    'mcp-protocol-version': revision,
    ...(isModern ? { 'mcp-method': method, ...(params.name ? { 'mcp-name': params.name } : {}) } : {}),
    ...(session ? { 'mcp-session-id': session } : {}),
  });
  return (method, params) => {
    const body = JSON.stringify(messageOf(method, params));
    const headers = headersOf(method, params, Buffer.byteLength(body));
    return new Promise((resolve, reject) => {
      const sent = request({ agent, hostname, port, path: pathname, method: 'POST', headers }, (answer) => {
        session ??= answer.headers['mcp-session-id'];
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        answer.on('end', () => resolve(JSON.parse(text).result));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  };
}

const send = where === 'stdio' ? overStdio() : overHttp();
if (!isModern) await send('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: INFO });
await measured(async () => (await send('tools/call', ADD)).structuredContent);
