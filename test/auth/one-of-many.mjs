/** One of several processes that share credentials. `node one-of-many.mjs URL FILE`; a line on stdin lets it begin. */

import { once } from 'node:events';
import { fileStore, oauth } from 'mcpp/auth/client';
import { connect } from 'mcpp/client';

const [url, path] = process.argv.slice(2);
const authorize = () => Promise.reject(new Error('There is no person here'));
const auth = oauth({ store: fileStore({ path }), redirectUri: 'http://127.0.0.1:1/callback', authorize });

console.log('ready');
await once(process.stdin, 'data');
process.stdin.destroy();

const mcp = await connect(url, { auth });
const { structuredContent } = await mcp.callTool('whoami');
await mcp.close();
console.log(structuredContent.subject);
