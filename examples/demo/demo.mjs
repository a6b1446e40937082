/** The demo: a server with one of each thing there is, over HTTP or, with --stdio, on standard input and output. */

import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { serveHttp } from 'mcpp/http';
import { serveStdio } from 'mcpp/stdio';
import { server } from './server.mjs';

const { values } = parseArgs({ options: { stdio: { type: 'boolean' }, port: { type: 'string' } } });
if (values.stdio) await serveStdio(server);
else await overHttp(values.port ?? process.env.PORT);

async function overHttp(port) {
  const serving = await listen(port);
  console.log(words(serving.url));
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await serving.close({ graceMs: 1000 });
}

// Whoever asked for a port gets that one or an error; others get any.
async function listen(port) {
  try {
    return await serveHttp(server, { port: Number(port ?? 3000) });
  } catch (error) {
    if (port !== undefined || error.cause?.code !== 'EADDRINUSE') throw error;
    return serveHttp(server, { port: 0 });
  }
}

function words(url) {
  return `The demo server listens at ${url} (this machine only; Ctrl+C ends it).

Look at it         open ${url} in a browser
Claude Code        claude mcp add --transport http demo ${url}
Other clients      { "mcpServers": { "demo": { "type": "http", "url": "${url}" } } }
From a terminal    npx @modelcontextprotocol/inspector --cli ${url} --transport http --method tools/list
From code          const mcp = await connect('${url}');   // import { connect } from 'mcpp/client'

With "npm start -- --stdio" it speaks on standard input and output, for clients that start it themselves.`;
}
