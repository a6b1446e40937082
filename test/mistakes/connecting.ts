/** Mistakes where a client reaches a server. */

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'mcpp/client';
import { serveHttp } from 'mcpp/http';
import { testClient } from 'mcpp/testing';
import { type Mistake, make, messageOf } from './mistake.ts';

/** Why `connect` does not reach an HTTP server of this kind, at this path. */
async function refusalAt(listener: RequestListener, path = '/mcp', scheme = 'http'): Promise<string> {
  const http = createServer(listener);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `${scheme}://127.0.0.1:${(http.address() as AddressInfo).port}${path}`;
  try {
    return await messageOf(() => connect(url));
  } finally {
    http.close();
  }
}

const program = (code: string): Promise<string> =>
  messageOf(() => connect({ command: process.execPath, args: ['--input-type=module', '-e', code] }));

export const CONNECTING: readonly Mistake[] = [
  {
    message:
      'Cannot reach http://127.0.0.1:.../mcp: nothing listens there: is the server running, and is it this port? (ECONNREFUSED)',
    where: 'rejected',
    cause: 'No process listens at this address.',
    remedy: 'Start the server, or correct host and port.',
    seen: async () => {
      const http = createServer();
      await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
      const { port } = http.address() as AddressInfo;
      await new Promise((resolve) => http.close(resolve));
      return messageOf(() => connect(`http://127.0.0.1:${port}/mcp`));
    },
  },
  {
    message: 'Cannot reach http://no-such-host.invalid/mcp: there is no host of this name (ENOTFOUND)',
    where: 'rejected',
    cause: 'The name of the host cannot be resolved.',
    remedy: 'Correct the name.',
    seen: () => messageOf(() => connect('http://no-such-host.invalid/mcp')),
  },
  {
    message: 'Cannot reach https://...: it does not speak TLS: try http: (EPROTO)',
    where: 'rejected',
    cause: 'The URL begins with `https:`, and the server speaks plain HTTP.',
    remedy: 'Use `http:`.',
    seen: () => refusalAt((_, response) => void response.end(), '/mcp', 'https'),
  },
  {
    message:
      'http://... answered with HTTP status 404: There is nothing here; the MCP endpoint is at /mcp. There is no stream of events either: is it the URL of an MCP server?',
    where: 'rejected',
    cause: 'The URL has another path than the endpoint of the server.',
    remedy: 'Add the path to the URL.',
    seen: async () => {
      const http = await serveHttp(make(), { port: 0 });
      const message = await messageOf(() => connect(new URL('/', http.url).href));
      await http.close();
      return message;
    },
  },
  {
    message: 'http://... answered with text/html, not with messages: is it the URL of an MCP server?',
    where: 'rejected',
    cause: 'The URL is that of a web page.',
    remedy: 'Use the URL of the MCP endpoint.',
    seen: () => refusalAt((_, response) => void response.setHeader('content-type', 'text/html').end('<html></html>')),
  },
  {
    message: 'http://... answered with HTTP status 502: a proxy in front of the server cannot reach it',
    where: 'rejected',
    cause: 'A proxy in front of the server cannot reach it.',
    remedy: 'Look at the proxy: is the server running, and does the proxy know its address?',
    seen: () => refusalAt((_, response) => void response.writeHead(502).end('Bad Gateway')),
  },
  {
    message:
      'http://... redirects to https://example.com/mcp (HTTP status 302), which is not followed: ... connect to https://example.com/mcp',
    where: 'rejected',
    cause: 'The server answers with a redirect to another URL. Requests with credentials are not sent on to it.',
    remedy: 'Use the URL that the message names.',
    seen: () => refusalAt((_, response) => void response.writeHead(302, { location: 'https://example.com/mcp' }).end()),
  },
  {
    message:
      'Cannot start the server "nod": there is no program "nod" on the PATH. Install it, give its full path, or a PATH in "env" (ENOENT)',
    where: 'rejected',
    cause: '`command` names a program that cannot be found.',
    remedy: 'Install it, or give its full path.',
    seen: () => messageOf(() => connect({ command: 'nod' })),
  },
  {
    message:
      'Cannot start the server "node server.js": there is no program "node server.js". Give its arguments in "args", not in "command" (ENOENT)',
    where: 'rejected',
    cause: '`command` has the arguments in it.',
    remedy: "`connect({ command: 'node', args: ['server.js'] })`.",
    seen: () => messageOf(() => connect({ command: 'node server.js' })),
  },
  {
    message:
      'The server "...node" exited with code 1 before it sent a message. The last it wrote on stderr: ... Error: no database',
    where: 'rejected',
    cause: 'The program of the server failed when it started.',
    remedy:
      'The message has the reason that the program wrote on stderr; `error.process.stderr` has the last 4 KB of it.',
    seen: () => program("throw new Error('no database')"),
  },
  {
    message: '... a server that is a program must write nothing but messages on stdout',
    where: 'rejected',
    cause: 'The program printed something before `serveStdio` was called, for instance with `console.log`.',
    remedy: 'Print with `console.error`, or after `serveStdio`, which then prints to stderr.',
    seen: async () => {
      const messages: string[] = [];
      const code = `console.log('starting');
        const { McpServer } = await import('mcpp/server');
        const { serveStdio } = await import('mcpp/stdio');
        await serveStdio(new McpServer({ name: 's', version: '1' }));`;
      const client = await connect(
        { command: process.execPath, args: ['--input-type=module', '-e', code] },
        { onError: (error) => messages.push((error as Error).message) },
      );
      await client.close();
      return messages.join('\n');
    },
  },
  {
    message:
      'connect needs an http: or https: URL, such as "http://localhost:3000/mcp"; the text is no URL. For a program give { command, args }',
    where: 'rejected',
    cause: '`connect` got a path.',
    remedy: "`connect({ command: 'node', args: ['server.js'] })`.",
    seen: () => messageOf(() => connect('server.js')),
  },
  {
    message:
      'connect needs an http: or https: URL, such as "http://localhost:3000/mcp"; this one begins with "localhost:". For a program give { command, args }',
    where: 'rejected',
    cause: 'The URL has no scheme.',
    remedy: "`connect('http://localhost:3000/mcp')`.",
    seen: () => messageOf(() => connect('localhost:3000/mcp')),
  },
  {
    message:
      'connect cannot use a ws: URL: connect(webSocketTransport(url)) can, with webSocketTransport from mcpp/websocket',
    where: 'rejected',
    cause: 'WebSocket has its own transport.',
    remedy: '`connect(webSocketTransport(url))` with `webSocketTransport` of `mcpp/websocket`.',
    seen: () => messageOf(() => connect('ws://localhost:3000/mcp')),
  },
  {
    message: 'connect takes the URL itself, as in connect(target.url), not { url }',
    where: 'rejected',
    cause: '`connect` got an entry of a configuration file.',
    remedy: '`connect(entry.url)`.',
    seen: () => messageOf(() => connect({ url: 'http://localhost:3000/mcp' } as never)),
  },
  {
    message:
      'Unknown protocol revision "2025-01-01"; known: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05',
    where: 'rejected',
    cause: 'The option `revision` has a date that no revision of the protocol has.',
    remedy: 'Use one of the listed revisions, or leave the option out.',
    seen: () => messageOf(() => connect(make(), { revision: '2025-01-01' } as never)),
  },
  {
    message:
      'The server does not speak protocol revision 2026-07-28: it speaks 2025-06-18. Leave out "revision" to use the newest that both know',
    where: 'rejected',
    cause: 'The option `revision` asks for a revision that the server does not have.',
    remedy: 'Leave the option out: then the newest revision that both have is used.',
    seen: () => messageOf(() => connect(make({ revisions: ['2025-06-18'] }), { revision: '2026-07-28' })),
  },
  {
    message: 'connect: unknown option "timout"; did you mean "timeout"?',
    where: 'rejected',
    cause: 'An option is misspelled.',
    remedy: 'Correct the name.',
    seen: () => messageOf(() => connect(make(), { timout: 1 } as never)),
  },
  {
    message:
      'connect: "restart" is for programs, as in connect({ command, args }, { restart: true }). A server at a URL is not started by its client; lost streams are opened again, see "reconnect"',
    where: 'rejected',
    cause: 'A server at a URL cannot be started again by a client.',
    remedy: 'Leave out `restart`; connections over HTTP are made anew without it.',
    seen: () => messageOf(() => connect('http://127.0.0.1:9/mcp', { restart: true })),
  },
  {
    message: 'The server sent a response of more than 16777216 bytes (option "maxResponseBytes")',
    where: 'rejected',
    cause: 'A result over HTTP is larger than the client accepts.',
    remedy: 'Make results smaller (pages, resource links), or raise the limit that the message names.',
    seen: async () => {
      const http = await serveHttp(
        make().registerTool('t', {}, () => 'x'.repeat(20 * 1024 * 1024)),
        { port: 0 },
      );
      const client = await connect(http.url);
      const message = await messageOf(() => client.callTool('t'));
      await client.close();
      await http.close();
      return message;
    },
  },
  {
    message: 'Invalid response: a line of more than 16777216 bytes (option "maxLineLength")',
    where: 'rejected',
    cause: 'A result over stdio is larger than the client accepts.',
    remedy: 'Make results smaller (pages, resource links), or raise the limit that the message names.',
    seen: async () => {
      const code = `
        import { McpServer } from 'mcpp/server';
        import { serveStdio } from 'mcpp/stdio';
        await serveStdio(new McpServer({ name: 's', version: '1' }).registerTool('t', {}, () => 'x'.repeat(20 * 1024 * 1024)));`;
      const client = await connect({ command: process.execPath, args: ['--input-type=module', '-e', code] });
      const message = await messageOf(() => client.callTool('t'));
      await client.close();
      return message;
    },
  },
  {
    message: 'c.callTool is not a function',
    where: 'symptom',
    cause: '`connect` gives a Promise, and the `await` before it is missing. TypeScript refuses this.',
    remedy: '`const client = await connect(...)`.',
    seen: async () => {
      const c = testClient(make()) as unknown as { callTool(name: string): unknown };
      const message = await messageOf(() => c.callTool('t'));
      await (await (c as unknown as ReturnType<typeof testClient>)).close();
      return message;
    },
  },
];
