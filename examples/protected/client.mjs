/** A client of the protected server. It opens a browser, in which you sign in. `node client.mjs [URL]` */

import { printable } from 'mcpp';
import { oauth } from 'mcpp/auth/client';
import { connect } from 'mcpp/client';

const [url = 'http://127.0.0.1:3000/mcp'] = process.argv.slice(2);

const mcp = await connect(url, { auth: oauth({ clientName: 'Example client' }) });

const show = async (name, args = {}) => {
  const { content } = await mcp.callTool(name, args);
  // What a server sent must not control the terminal.
  console.log(`${name} -> ${printable(content[0].text)}`);
};

await show('whoami');
// The token does not allow this yet, so the browser opens once more; then the call goes on.
await show('add_note', { text: 'Buy tea' });
await show('read_notes');
await show('whoami');

await mcp.close();
