/** Mistakes where a server is served. */

import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { json } from 'node:stream/consumers';
import { memoryPair } from 'mcpp';
import { connect } from 'mcpp/client';
import { fetchHandler } from 'mcpp/fetch';
import { nodeHandler, serveHttp } from 'mcpp/http';
import { serve } from 'mcpp/server';
import { serveStdio } from 'mcpp/stdio';
import { testClient } from 'mcpp/testing';
import { type Mistake, make, messageOf, stderrOf } from './mistake.ts';

/** The answer of an HTTP server to a request with these headers. */
async function answerTo(headers: Record<string, string>, options: object = {}): Promise<string> {
  const http = await serveHttp(
    make().registerTool('t', {}, () => 'x'),
    { port: 0, ...options },
  );
  try {
    const { port } = new URL(http.url);
    const request = httpRequest({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers });
    request.end('{}');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const { error } = (await json(response)) as { error: { message: string } };
    return error.message;
  } finally {
    await http.close();
  }
}

export const SERVING: readonly Mistake[] = [
  {
    message: 'serveStdio needs an McpServer as its first argument, as in serveStdio(server)',
    where: 'rejected',
    cause: '`serveStdio`, `serveHttp`, `nodeHandler` or `fetchHandler` got no server.',
    remedy: 'Pass the `McpServer`.',
    seen: () => messageOf(() => serveStdio(undefined as never)),
  },
  {
    message: 'nodeHandler needs an McpServer as its first argument, as in nodeHandler(server)',
    where: 'thrown',
    cause: '`nodeHandler()` was called without a server.',
    remedy: 'Pass the `McpServer`.',
    seen: () => messageOf(() => nodeHandler(undefined as never)),
  },
  {
    message: 'nodeHandler was called with a request: pass nodeHandler(server) to the framework, not nodeHandler itself',
    where: 'thrown',
    cause: "A framework got the function itself, as in `app.all('/mcp', nodeHandler)`.",
    remedy: "Make the handler once: `app.all('/mcp', nodeHandler(server))`.",
    seen: () => messageOf(() => nodeHandler({ method: 'POST', headers: {} } as never)),
  },
  {
    message:
      'fetchHandler was called with a request: pass fetchHandler(server) to the framework, not fetchHandler itself',
    where: 'thrown',
    cause: "A framework got the function itself, as in `app.all('/mcp', nodeHandler)`.",
    remedy: "Make the handler once: `app.all('/mcp', nodeHandler(server))`.",
    seen: () => messageOf(() => fetchHandler(new Request('http://localhost/mcp') as never)),
  },
  {
    message:
      'serve needs a transport as its second argument, an object with connect() and send(). To listen on a port, use serveHttp(server, { port }) of mcpp/http; for a program that clients start, serveStdio(server) of mcpp/stdio',
    where: 'rejected',
    cause: '`serve(server, "http://...")` got a URL.',
    remedy: '`serve` takes a transport object. To listen on a port use `serveHttp`.',
    seen: () => messageOf(() => serve(make(), 'http://x' as never)),
  },
  {
    message:
      'serveStdio: these streams are being served already. A process has one standard input: register all tools on one server, or give "input" and "output"',
    where: 'rejected',
    cause: '`serveStdio` was called twice in one process.',
    remedy: 'Register all tools on one server, or start two processes.',
    seen: async () => {
      const streams = { input: new PassThrough(), output: new PassThrough(), exit: false };
      const first = await serveStdio(make(), streams);
      const message = await messageOf(() => serveStdio(make(), streams));
      await first.close();
      return message;
    },
  },
  {
    message: 'The transport is connected already: connect each end of memoryPair() once',
    where: 'rejected',
    cause: 'Two servers were given the same transport.',
    remedy: 'Make one transport for each connection.',
    seen: async () => {
      const [, end] = memoryPair();
      const first = await serve(make(), end);
      const message = await messageOf(() => serve(make(), end));
      await first.close();
      return message;
    },
  },
  {
    message: 'serveHttp: port ... of 127.0.0.1 is taken: pass another as "port", or 0 for any free one',
    where: 'rejected',
    cause: 'Another process listens on this port.',
    remedy: 'End that process, or use another port.',
    seen: async () => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const message = await messageOf(() => serveHttp(make(), { port: (other.address() as AddressInfo).port }));
      other.close();
      return message;
    },
  },
  {
    message: 'serveHttp: unknown option "host"; did you mean "address"?',
    where: 'rejected',
    cause: 'The option for the address to listen at is `address`; `hosts` has the names that clients may use.',
    remedy: "`serveHttp(server, { port: 3000, address: '0.0.0.0', hosts: ['mcp.example.com'] })`.",
    seen: () => messageOf(() => serveHttp(make(), { host: '0.0.0.0' } as never)),
  },
  {
    message: 'serveHttp: options must be an object',
    where: 'rejected',
    cause: 'The second argument is a port number.',
    remedy: '`serveHttp(server, { port: 4999 })`.',
    seen: () => messageOf(() => serveHttp(make(), 4999 as never)),
  },
  {
    message: 'The Host header names a host this server does not answer to. Set the option "hosts" ...',
    where: 'HTTP response',
    cause:
      'The status is 403. A proxy passes on the public name of the server in the Host header, and the server knows only local names.',
    remedy: "`hosts: ['mcp.example.com']`.",
    seen: () => answerTo({ host: 'mcp.example.com', 'content-type': 'application/json' }),
  },
  {
    message: 'The Origin header names a web page that may not call this server. Set the option "origins" ...',
    where: 'HTTP response',
    cause:
      'The status is 403. A web page of another origin calls the server. A browser shows only "CORS error"; the server reports it once on stderr.',
    remedy: "`origins: ['https://app.example.com']`.",
    seen: async () => {
      let message = '';
      await stderrOf(async () => {
        message = await answerTo({ origin: 'https://app.example.com', 'content-type': 'application/json' });
      });
      return message;
    },
  },
  {
    message:
      'mcpp: http: Error: A web page of https://app.example.com got 403, which its browser shows as a CORS error. ... Set the option "origins" ... This is reported once.',
    where: 'stderr',
    cause: 'The server refused a web page. The browser hides the reason from the page.',
    remedy: 'Add the origin of the page to `origins`.',
    seen: () => stderrOf(() => answerTo({ origin: 'https://app.example.com', 'content-type': 'application/json' })),
  },
  {
    message: 'Middleware 1 returned nothing for tools/call: return await next(), or a result',
    where: 'onError',
    cause: 'A middleware does not return what `next()` gave. The client gets "Internal error".',
    remedy: '`server.use(async (ctx, next) => { ...; return await next(); })`.',
    seen: async () => {
      const reports: string[] = [];
      const server = make({ onError: (error: Error) => reports.push(error.message) })
        .use(async (ctx, next) => {
          const result = await next();
          return ctx.method === 'tools/call' ? undefined : result;
        })
        .registerTool('t', {}, () => 'x');
      const client = await testClient<unknown>(server);
      await client.callTool('t').catch(() => {});
      await client.close();
      return reports.join('\n');
    },
  },
  {
    message:
      'mcpp: stdout carries the protocol, so what ... printed there goes to stderr. Use console.error or ctx.log. ...',
    where: 'stderr',
    cause: 'A server over stdio called `console.log`. The connection goes on.',
    remedy: 'Use `console.error`, or `ctx.log.info(...)` to reach the client.',
    seen: () => programStderr("await serveStdio(server); console.log('hello');"),
  },
  {
    message: 'Unknown tool: helo; did you mean "hello"?',
    where: 'rejected',
    cause: 'The caller misspelled the name of a tool.',
    remedy: 'Use a name of `listTools()`; types of `connect(server)` refuse others.',
    seen: async () => {
      const client = await testClient<unknown>(make().registerTool('hello', {}, () => 'x'));
      const message = await messageOf(() => client.callTool('helo'));
      await client.close();
      return message;
    },
  },
];

/** The stderr of a stdio program, which a client connects to and leaves. */
async function programStderr(code: string): Promise<string> {
  const lines: string[] = [];
  const program = `
    import { McpServer } from 'mcpp/server';
    import { serveStdio } from 'mcpp/stdio';
    const server = new McpServer({ name: 's', version: '1' });
    ${code}`;
  const target = { command: process.execPath, args: ['--input-type=module', '-e', program] };
  const client = await connect(target, { stderr: (text) => void lines.push(text) });
  await client.close();
  return lines.join('\n');
}
