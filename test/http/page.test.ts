/** What a person sees who opens the endpoint in a browser. */

import { McpServer } from 'mcpp/server';
import { describe, expect, test } from 'vitest';
import { FACES, openSession } from './faces.ts';
import { makeStage } from './stage.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const evil = '<script>alert("x")</script>\'&';

describe.each(FACES)('through $name', ({ open }) => {
  test('it says what the server is, which tools it has, and how to connect', async () => {
    const { server } = makeStage({ instructions: 'Ask nicely.' });
    server.registerTool('greet', { title: 'Greeting', description: 'Greets a person' }, () => 'hello');
    const reached = await open(server);
    const answer = await reached.send({ method: 'GET', headers: { ...BROWSER, host: 'localhost:3000' } });
    expect([answer.status, answer.header('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const page = await answer.text();
    expect(page).toContain('<h1>stage</h1>');
    expect(page).toContain('Ask nicely.');
    expect(page).toContain('<dt><code>greet</code> Greeting</dt><dd>Greets a person</dd>');
    expect(page).toContain('claude mcp add --transport http stage http://localhost:3000/mcp');
    expect(page).toContain('&quot;url&quot;: &quot;http://localhost:3000/mcp&quot;');
    await reached.close();
  });

  test('nothing on it runs, loads or is framed, and no cache keeps it', async () => {
    const reached = await open(makeStage().server);
    const answer = await reached.send({ method: 'GET', headers: BROWSER });
    expect(answer.header('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(answer.header('x-content-type-options')).toBe('nosniff');
    expect(answer.header('referrer-policy')).toBe('no-referrer');
    expect(answer.header('cache-control')).toBe('no-store');
    expect(await answer.text()).not.toMatch(/<script|<link|<img|<iframe|<form|javascript:|\son\w+=/i);
    await reached.close();
  });

  test('whatever names and descriptions hold is text', async () => {
    const server = new McpServer(
      { name: evil, version: evil, title: evil, description: evil },
      { instructions: evil },
    ).registerTool('t', { title: evil, description: evil }, () => '');
    const reached = await open(server, { hosts: 'any' });
    const target = "/mcp'$(reboot)<b>?x=<i>";
    const answer = await reached.send({ method: 'GET', target, headers: { ...BROWSER, host: 'localhost' } });
    const page = await answer.text();
    expect(page).not.toMatch(/<script>|<b>|<i>/);
    expect(page).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;');
    // A name is one word of a command, whatever is in it.
    expect(page).toContain(
      `claude mcp add --transport http &#39;&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;\\&#39;&#39;&amp;&#39;`,
    );
    await reached.close();
  });

  test('what is hidden from strangers is not on it', async () => {
    const { server } = makeStage();
    server.registerTool('secret', { visible: ({ principal }) => principal !== undefined }, () => '');
    const reached = await open(server);
    const page = await (await reached.send({ method: 'GET', headers: BROWSER })).text();
    expect(page).toContain('echo');
    expect(page).not.toContain('secret');
    await reached.close();
  });

  test('with "auth" it names no tools and gives no instructions, and needs no credentials', async () => {
    const { server } = makeStage({ instructions: 'Ask nicely.' });
    const reached = await open(server, { auth: () => ({ status: 401 }) });
    const answer = await reached.send({ method: 'GET', headers: BROWSER });
    expect(answer.status).toBe(200);
    const page = await answer.text();
    expect(page).toContain('<h1>stage</h1>');
    expect(page).not.toMatch(/echo|Tools|Ask nicely/);
    await reached.close();
  });

  test('it is for those who name HTML and not event streams', async () => {
    const reached = await open(makeStage().server);
    const session = await openSession(reached);
    const type = async (accept: string): Promise<string | undefined> => {
      const answer = await reached.send({ method: 'GET', headers: { ...session, accept } });
      answer.hangUp();
      return answer.header('content-type');
    };
    expect(await type('text/html')).toBe('text/html; charset=utf-8');
    expect(await type('text/html, text/event-stream')).toBe('text/event-stream');
    expect(await type('text/html;q=0')).toBe('application/json');
    await reached.close();
    const plain = await open(makeStage().server);
    expect((await plain.send({ method: 'GET', headers: { accept: '*/*' } })).status).toBe(400);
    await plain.close();
  });

  test('it can be turned off', async () => {
    const reached = await open(makeStage().server, { page: false });
    const answer = await reached.send({ method: 'GET', headers: BROWSER });
    expect([answer.status, answer.header('content-type')]).toEqual([400, 'application/json']);
    await reached.close();
  });

  test('a server without sessions has it, too; HEAD and POST never show it', async () => {
    const reached = await open(makeStage().server, { sessions: false });
    expect((await reached.send({ method: 'GET', headers: BROWSER })).status).toBe(200);
    expect((await reached.send({ method: 'HEAD', headers: BROWSER })).status).toBe(405);
    const post = { ...BROWSER, 'content-type': 'application/json' };
    expect((await reached.send({ headers: { ...post, accept: 'text/html' }, body: '{}' })).status).toBe(406);
    await reached.close();
  });

  test('behind a proxy that speaks TLS the URL begins with https', async () => {
    const reached = await open(makeStage().server, { hosts: ['mcp.example.com'] });
    const headers = { ...BROWSER, host: 'mcp.example.com', 'x-forwarded-proto': 'https' };
    const page = await (await reached.send({ method: 'GET', headers })).text();
    expect(page).toContain('https://mcp.example.com/mcp');
    await reached.close();
  });
});
