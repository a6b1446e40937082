// The played server over HTTP and WebSocket, on one port.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { STATELESS } from '../corpus.mjs';
import { chunkBorders } from '../mutations.mjs';
import { FrameReader, frame, Opcode, textFrames } from '../transports/websocket-frames.mjs';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export class PlayedHttp {
  script;
  /** The case that is played. */
  one;
  #number = 0;
  #server = createServer((request, response) => this.#serve(request, response));
  #sockets = new Set();

  async listen() {
    this.#server.on('upgrade', (request, socket) => this.#upgrade(request, socket));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** Each case has a path of its own, so that late requests of another one are told apart. */
  target(scheme = 'http') {
    return `${scheme}://127.0.0.1:${this.#server.address().port}/${++this.#number}`;
  }

  drop() {
    for (const socket of this.#sockets) socket.destroy();
  }

  close() {
    this.drop();
    this.#server.close();
  }

  #serve(request, response) {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url !== `/${this.#number}`) return response.writeHead(404).end();
      const message = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
      if (request.method === 'POST') return this.#post(message, response);
      if (request.method === 'GET' && this.one.hasStream)
        return response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      return response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
    });
  }

  #post(message, response) {
    if (message.id === undefined || message.method === undefined) return response.writeHead(202).end();
    const { messages, isOpen, hangUp, transport } = this.script.answer(message);
    const isEvents = this.one.isEvents || messages.length > 1 || isOpen;
    const body = isEvents
      ? Buffer.concat(messages.map((one) => event(one, transport)))
      : (messages[0] ?? Buffer.alloc(0));
    const isMissing = message.method === 'server/discover' && this.one.revision !== STATELESS;
    const fields = {
      'content-type': isEvents ? 'text/event-stream' : 'application/json',
      ...(message.method === 'initialize' ? { 'mcp-session-id': 'session' } : {}),
    };
    this.script.count(body);
    if (transport?.chance(0.5)) return this.#brokenHead(response, fields, body, transport);
    response.writeHead(isMissing ? 404 : 200, fields);
    response.write(body);
    if (hangUp) setImmediate(() => response.destroy());
    else if (!isOpen) response.end();
    return undefined;
  }

  #brokenHead(response, fields, body, random) {
    const { socket } = response;
    const raw = (head) => socket.end(Buffer.concat([Buffer.from(head, 'latin1'), body]));
    random.pick([
      () =>
        response
          .writeHead(
            random.pick([
              199, 201, 204, 206, 301, 302, 307, 308, 400, 401, 403, 404, 405, 408, 409, 418, 429, 500, 502, 503, 599,
            ]),
            {
              ...fields,
              location: random.pick(['http://evil.example/', '/', `/${this.#number}`, '\t', '//x']),
              'retry-after': random.pick(['0', '1', '-1', 'x', '1e999']),
              'www-authenticate': 'Bearer resource_metadata="x"',
            },
          )
          .end(body),
      () =>
        response
          .writeHead(200, {
            ...fields,
            'content-type': random.pick([
              'text/html',
              'application/json; charset=utf-16',
              'text/event-stream; x',
              '',
              'application/JSON',
              'text/plain',
            ]),
          })
          .end(body),
      () =>
        response
          .writeHead(200, { ...fields, 'content-encoding': random.pick(['gzip', 'br', 'identity', 'x']) })
          .end(body),
      () =>
        response
          .writeHead(200, { ...fields, 'mcp-session-id': random.pick(['', 'x'.repeat(10_000), 'a b', 'é', '\t']) })
          .end(body),
      () =>
        raw(
          `HTTP/1.1 200 OK\r\ncontent-type: ${fields['content-type']}\r\ncontent-length: ${random.pick([0, 1, body.length + 10, 1e9, -1])}\r\n\r\n`,
        ),
      () =>
        raw(
          `HTTP/1.1 200 OK\r\ncontent-type: ${fields['content-type']}\r\ntransfer-encoding: chunked\r\n\r\n${random.pick(['5\r\n', 'zz\r\n', 'ffffffffff\r\n', '-1\r\n'])}`,
        ),
      () =>
        raw(
          random.pick([
            'HTTP/1.1 200\r\n\r\n',
            'HTTP/9.9 200 OK\r\n\r\n',
            '\r\n',
            'SSH-2.0\r\n',
            `HTTP/1.1 200 OK\r\nx: ${'h'.repeat(100_000)}\r\n\r\n`,
            'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000),
            'HTTP/1.1 200 OK\r\n\u0000: x\r\n\r\n',
          ]),
        ),
      () => socket.destroy(),
      () => socket.end(),
    ])();
  }

  #upgrade(request, socket) {
    const { script } = this;
    socket.on('error', () => {});
    if (request.url !== `/${this.#number}`) return socket.destroy();
    const key = createHash('sha1')
      .update(request.headers['sec-websocket-key'] + GUID)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${key}\r\nSec-WebSocket-Protocol: mcp\r\n\r\n`,
    );
    const reader = new FrameReader();
    socket.on('data', (chunk) => {
      for (const { opcode, payload } of reader.push(chunk)) {
        if (opcode === Opcode.text) this.#frames(JSON.parse(payload.toString()), socket, script);
        else if (opcode === Opcode.close) socket.end();
      }
    });
    return undefined;
  }

  #frames(message, socket, script) {
    if (message.id === undefined || message.method === undefined) return;
    const { messages, hangUp, transport } = script.answer(message);
    for (const one of messages) {
      const borders = transport ? chunkBorders(one.length, transport) : [];
      socket.write(script.count(Buffer.concat(textFrames(one, borders, { masked: transport?.chance(0.2) ?? false }))));
    }
    if (transport?.chance(0.3)) socket.write(oddServerFrame(transport));
    if (hangUp) socket.destroy();
  }
}

function event(message, random) {
  const data = message.toString('latin1');
  if (!random) return Buffer.from(`event: message\ndata: ${data}\n\n`, 'latin1');
  const odd = random.pick([
    () => `data: ${data}\r\n\r\n`,
    () => `data:${data}\r\r`,
    () => `: ${'c'.repeat(random.pick([1, 200_000]))}\ndata: ${data}\n\n`,
    () => `${'\n'.repeat(random.pick([3, 50_000]))}data: ${data}\n\n`,
    () => `event: ${random.pick(['other', 'error', 'x'.repeat(10_000), ''])}\ndata: ${data}\n\n`,
    () =>
      `id: ${random.pick(['1', '\u0000', 'x'.repeat(10_000)])}\nretry: ${random.pick(['0', '-1', '1e9', 'x'])}\ndata: ${data}\n\n`,
    () =>
      data
        .split(',')
        .map((part) => `data: ${part},\n`)
        .join('')
        .concat('\n'),
    () => `\u00ef\u00bb\u00bfdata: ${data}\n\n`,
    () => `data\n${'data: x\n'.repeat(random.pick([10, 20_000]))}\ndata: ${data}\n\n`,
    () => `data: ${data}`,
    () => 'data: x\n\n'.repeat(random.pick([10, 20_000])).concat(`data: ${data}\n\n`),
    () => `data: ${'x'.repeat(random.pick([10, 5_000_000]))}\n\ndata: ${data}\n\n`,
  ])();
  return Buffer.from(odd, 'latin1');
}

function oddServerFrame(random) {
  const some = Buffer.from('{"jsonrpc":"2.0"}');
  return random.pick([
    () => frame(Opcode.binary, some, { masked: false }),
    () => frame(random.pick([3, 11]), some, { masked: false }),
    () => frame(Opcode.continuation, some, { masked: false }),
    () => frame(Opcode.text, Buffer.from([0xff, 0xfe]), { masked: false }),
    () => frame(Opcode.text, some, { masked: false, reserved: 0x40 }),
    () => frame(Opcode.text, some, { masked: false, length: 2 ** 40 }),
    () => frame(Opcode.close, Buffer.from(random.pick(['', '03', '0000', '03e8', '03f3ff']), 'hex'), { masked: false }),
    () => Buffer.concat(Array(5000).fill(frame(Opcode.ping, Buffer.alloc(125), { masked: false }))),
    () =>
      Buffer.concat([
        frame(Opcode.text, Buffer.alloc(0), { masked: false, fin: false }),
        ...Array(20_000).fill(frame(Opcode.continuation, Buffer.alloc(0), { masked: false, fin: false })),
      ]),
  ])();
}
