// A stdio server within one process: the attack is an action, because it writes to the streams that are served.
import { PassThrough } from 'node:stream';
import { McpServer } from 'mcpp/server';
import { serveStdio } from 'mcpp/stdio';
import { underAttack } from '../measured.mjs';

const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} }).registerTool(
  'wait',
  { inputSchema: { type: 'object' } },
  () => new Promise(() => {}),
);
const input = new PassThrough();
const output = new PassThrough();
const refused = [];
output.setEncoding('utf8').on('data', (text) => refused.push(...text.split('\n').filter(Boolean)));
await serveStdio(server, { input, output, exit: false });

const meta =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
underAttack({
  actions: {
    async callMany({ count, bytes }) {
      const text = 'x'.repeat(bytes);
      for (let id = 0; id < count; id++) {
        const params = `{"name":"wait","arguments":{"text":"${text}"},${meta}}`;
        input.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return refused;
    },
  },
});
