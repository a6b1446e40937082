// A small question with a large answer, over HTTP, written by hand: the floor for large answers. The floor server of the
// other sections only echoes.
import { createServer } from 'node:http';
import { textOf } from './text.mjs';

const isSse = process.env.MCP_MODE.endsWith('sse');

createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const { id, params } = JSON.parse(Buffer.concat(parts).toString());
    const result = { content: [{ type: 'text', text: textOf(params.arguments.bytes) }], resultType: 'complete' };
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result });
    if (isSse) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      response.end(`event: message\ndata: ${answer}\n\n`);
    } else {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
      response.end(answer);
    }
  });
}).listen(process.env.PORT, '127.0.0.1');
