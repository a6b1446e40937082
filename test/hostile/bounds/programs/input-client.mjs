// A client of servers that send a megabyte of anything before they answer.

import { fileURLToPath } from 'node:url';
import { connect } from 'mcpp/client';
import { webSocketTransport } from 'mcpp/websocket';
import { underAttack } from '../measured.mjs';

const flooding = fileURLToPath(new URL('flooding-server.mjs', import.meta.url));
const errors = [];
const onError = (error) => errors.push(error.message);
let connection;
const actions = {
  async open({ url }) {
    await connection?.close();
    errors.length = 0;
    const program = { command: process.execPath, args: [flooding] };
    const target = url === undefined ? program : url.startsWith('ws:') ? webSocketTransport(url) : url;
    connection = await connect(target, { onError, revision: '2025-06-18' });
  },
  async flood(flood) {
    try {
      const { content } = await connection.callTool('flood', { flood });
      return content[0].text;
    } catch (error) {
      return `${error.code}: ${error.message}`;
    }
  },
  errors: () => errors.splice(0),
  close: () => connection?.close(),
};
underAttack({ actions });
