/** What is done with every peer, column by column. */

import assert from 'node:assert/strict';

/** What a check gives if the peer does not offer what it looks for. */
export const NOT_OFFERED = Symbol('not offered');

const textOf = (content) => content.map((block) => block.text ?? '').join('\n');
const namesOf = (list) => list.map(({ name }) => name);

async function call(mcp, { tool, args = {} }, options) {
  const result = await mcp.callTool(tool, args, options);
  assert.notEqual(result.isError, true, `${tool} failed: ${textOf(result.content)}`);
  return result;
}

/** A check that calls a tool and reads what it says, if there is such a tool. */
const saying =
  (column) =>
  async ({ mcp, set, tools }) => {
    const wanted = set[column];
    if (!wanted || !tools.has(wanted.tool)) return NOT_OFFERED;
    assert.match(textOf((await call(mcp, wanted)).content), wanted.says);
  };

/** Watches, calls a tool, and waits until the event is there. */
async function eventAfter(mcp, what, calling) {
  let happened;
  const event = new Promise((resolve) => {
    happened = resolve;
  });
  const stop = await mcp.watch(what, happened);
  try {
    await call(mcp, calling);
    return await event;
  } finally {
    await stop();
  }
}

/** The columns in their order. A check throws if something is wrong; `tools` are the tools by name. */
export const CHECKS = new Map([
  [
    'tools',
    async ({ mcp, set, tools }) => {
      const paged = [];
      for await (const tool of mcp.tools()) paged.push(tool);
      assert.deepEqual(namesOf(paged), [...tools.keys()], 'tools() gives others than listTools()');
      assert.equal(tools.get(set.call.tool)?.inputSchema.type, 'object');
    },
  ],
  ['call', saying('call')],
  [
    'output',
    async ({ mcp, set, tools }) => {
      if (!tools.get(set.output.tool)?.outputSchema) return NOT_OFFERED;
      assert.deepEqual((await call(mcp, set.output)).structuredContent, set.output.gives);
    },
  ],
  [
    'resources',
    async ({ mcp, set }) => {
      const { uri, text } = set.resource;
      const { resources } = await mcp.listResources();
      assert.ok(
        resources.some((resource) => resource.uri === uri),
        `${uri} is not listed`,
      );
      const { contents } = await mcp.readResource(uri);
      assert.match(textOf(contents), text);
      await assert.rejects(mcp.readResource('test://nowhere'), (error) => typeof error.code === 'number');
    },
  ],
  [
    'templates',
    async ({ mcp, set }) => {
      const { uriTemplate, uri, text } = set.template;
      const { resourceTemplates } = await mcp.listResourceTemplates();
      assert.ok(
        resourceTemplates.some((template) => template.uriTemplate === uriTemplate),
        `${uriTemplate} is not listed`,
      );
      const { contents } = await mcp.readResource(uri);
      assert.match(textOf(contents), text);
    },
  ],
  [
    'prompts',
    async ({ mcp, set }) => {
      const { name, args, text } = set.prompt;
      const { prompts } = await mcp.listPrompts();
      assert.ok(namesOf(prompts).includes(name), `${name} is not listed`);
      const { messages } = await mcp.getPrompt(name, args);
      assert.match(textOf(messages.map(({ content }) => content)), text);
    },
  ],
  [
    'complete',
    async ({ mcp, set }) => {
      for (const { ref, argument, others, values } of set.completions) {
        const { completion } = await mcp.complete(ref, argument, others);
        assert.deepEqual(completion.values, values);
      }
    },
  ],
  ['elicit', saying('elicit')],
  ['sample', saying('sample')],
  ['roots', saying('roots')],
  [
    'progress',
    async ({ mcp, set, tools }) => {
      if (!tools.has(set.progress.tool)) return NOT_OFFERED;
      const steps = [];
      await call(mcp, set.progress, { onProgress: ({ progress }) => steps.push(progress) });
      assert.deepEqual(steps, set.progress.steps);
    },
  ],
  [
    'cancel',
    async ({ mcp, set, tools }) => {
      if (!set.cancel || !tools.has(set.cancel.tool)) return NOT_OFFERED;
      const giveUp = new AbortController();
      const { signal } = giveUp;
      const waiting = call(mcp, set.cancel, { signal, onProgress: () => giveUp.abort() });
      await assert.rejects(waiting, (error) => error.code === 'aborted');
      const { content } = await call(mcp, { tool: set.cancel.afterwards });
      assert.match(textOf(content), set.cancel.says);
    },
  ],
  [
    'changed',
    async ({ mcp, set, tools }) => {
      const { what, tool, adds } = set.changed;
      if (!tools.has(tool)) return NOT_OFFERED;
      await eventAfter(mcp, what, set.changed);
      const list = what === 'tools' ? (await mcp.listTools()).tools : (await mcp.listResources()).resources;
      assert.ok(namesOf(list).includes(adds), `${adds} is not listed after the change`);
    },
  ],
  [
    'updated',
    async ({ mcp, set, tools }) => {
      if (!tools.has(set.updated.tool)) return NOT_OFFERED;
      await eventAfter(mcp, set.updated.uri, set.updated);
    },
  ],
  ['ping', ({ mcp }) => mcp.ping()],
  [
    'close',
    async ({ mcp, pid }) => {
      assert.equal(mcp.state, 'ready');
      await mcp.close();
      assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, `process ${pid} still runs after close()`);
    },
  ],
]);
