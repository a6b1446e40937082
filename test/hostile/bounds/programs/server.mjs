// A server over HTTP, HTTP+SSE and WebSocket with a tool that answers with 8 MB, one that does not end, and one that is quick.
import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { serveWebSocket } from 'mcpp/websocket';
import { underAttack } from '../measured.mjs';

const text = 'x'.repeat(8 * 2 ** 20);
const running = new Set();
const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} })
  .registerTool('large', {}, () => text)
  .registerTool('later', {}, async () => {
    await null;
    return text;
  })
  .registerTool(
    'wait',
    { inputSchema: { type: 'object' } },
    () => new Promise((resolve) => running.add(() => resolve('waited'))),
  )
  .registerTool('quick', {}, () => 'quick')
  .registerResource('x://a', { name: 'a' }, () => 'a');
const limits = { slowReaderMs: Number(process.env.SLOW_READER_MS ?? 10_000) };
const { port } = await serveHttp(server, { port: 0, sse: true, limits });
const { url } = await serveWebSocket(server, { port: 0, limits });
underAttack({
  ready: { port, webSocketUrl: url },
  actions: {
    running: () => running.size,
    release() {
      for (const end of running) end();
      running.clear();
    },
  },
});
