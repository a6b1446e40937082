/** Starts `server.mjs`, walks through all it offers, and prints what it sees. `node client.mjs [revision]` */

import { fileURLToPath } from 'node:url';
import { printable } from 'mcpp';
import { connect } from 'mcpp/client';

const server = fileURLToPath(new URL('./server.mjs', import.meta.url));
const [revision = 'auto'] = process.argv.slice(2);

/** Prints lines. What a server sent must not control the terminal. */
const print = (text) =>
  console.log(
    String(text)
      .split('\n')
      .map((line) => printable(line, 1000))
      .join('\n'),
  );

const mcp = await connect(
  { command: process.execPath, args: [server] },
  { revision, logLevel: 'info', onLog: ({ level, data }) => print(`  log, ${level}: ${data}`) },
);

/** Prints what a call gives, or why it gives nothing. */
async function show(title, call, read) {
  try {
    print(`  ${title} -> ${read(await call)}`);
  } catch (error) {
    print(`  ${title} -> error ${error.code}: ${error.message}`);
  }
}

const text = (content) => content.map((block) => block.text).join('\n');
const onOneLine = (said) => (said.includes('\n') ? JSON.stringify(said) : said);
const calling = (name, args = {}) =>
  show(
    `${name} ${JSON.stringify(args)}`,
    mcp.callTool(name, args),
    ({ content, isError }) => `${isError ? 'refused: ' : ''}${text(content)}`,
  );
const reading = (uri) => show(uri, mcp.readResource(uri), ({ contents }) => onOneLine(text(contents)));
const getting = (name, args) =>
  show(`${name} ${JSON.stringify(args)}`, mcp.getPrompt(name, args), ({ messages }) =>
    messages.map(({ role, content }) => `${role}: ${onOneLine(content.text)}`).join('\n'),
  );
const completing = (ref, name, value) =>
  show(`${ref.name ?? ref.uri}, ${name} "${value}..."`, mcp.complete(ref, { name, value }), ({ completion }) =>
    completion.values.join(', '),
  );

const { name, version } = mcp.serverInfo;
print(`${name} ${version}, revision ${mcp.revision}`);
print(mcp.instructions);

print('\nTools');
for await (const tool of mcp.tools()) print(`  ${tool.name}: ${tool.description}`);
await calling('calculate', { operation: 'multiply', a: 6, b: 7 });
await calling('calculate', { operation: 'divide', a: 1, b: 0 });
await calling('echo', { message: 'hello' });
await calling('get_time');
await calling('get_time', { timeZone: 'Nowhere' });

print('\nResources');
for await (const resource of mcp.resources()) print(`  ${resource.uri}: ${resource.description}`);
for await (const template of mcp.resourceTemplates()) print(`  ${template.uriTemplate}: ${template.description}`);
await reading('file:///notes.txt');
await reading('file:///todo.txt');
await reading('file:///missing.txt');
await reading('info://server');

print('\nPrompts');
for await (const prompt of mcp.prompts()) {
  const args = prompt.arguments.map((argument) => (argument.required ? argument.name : `[${argument.name}]`));
  print(`  ${prompt.name} ${args.join(' ')}: ${prompt.description}`);
}
await getting('greeting', { name: 'Ada', style: 'formal' });
await getting('code_review', { code: 'let a = 1', language: 'rust' });

print('\nCompletion');
await completing({ type: 'ref/prompt', name: 'greeting' }, 'style', 'p');
await completing({ type: 'ref/prompt', name: 'code_review' }, 'language', 'java');
await completing({ type: 'ref/resource', uri: 'file:///{name}' }, 'name', '');

await mcp.close();
