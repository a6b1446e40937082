/** What is done over every connection, column by column; by this package's client, and by others that are made to look like it. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

/** What a check gives if the peer does not offer what it looks for. */
export const NOT_OFFERED = Symbol('not offered');

const textOf = (content) => content.map((block) => block.text ?? '').join('\n');
const namesOf = (list) => list.map(({ name }) => name);

/** Calls a tool that has to succeed. */
export async function call(mcp, { tool, args = {} }, options) {
  const result = await mcp.callTool(tool, args, options);
  assert.notEqual(result.isError, true, `${tool} failed: ${textOf(result.content)}`);
  return result;
}

/** Calls a tool and reads what it says. */
export async function said(mcp, tool, args, options) {
  return textOf((await call(mcp, { tool, args }, options)).content);
}

/** A check that calls a tool and reads what it says, if there is such a tool. */
const saying =
  (column) =>
  async ({ mcp, set, tools }) => {
    const wanted = set[column];
    if (!wanted || !tools.has(wanted.tool)) return NOT_OFFERED;
    assert.match(await said(mcp, wanted.tool, wanted.args), wanted.says);
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
      for (const name of tools.keys()) assert.ok(namesOf(paged).includes(name), `tools() does not give ${name}`);
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
      if (!set.completions) return NOT_OFFERED;
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
      const { tool, letGo, steps } = set.progress;
      const args = letGo ? { key: randomUUID() } : set.progress.args;
      const seen = [];
      let going;
      const onProgress = ({ progress }) => {
        seen.push(progress);
        if (letGo) going ??= said(mcp, letGo, args);
      };
      await said(mcp, tool, args, { onProgress });
      await going;
      assert.deepEqual(seen.slice(0, steps.length), steps);
      if (!letGo) assert.deepEqual(seen, steps);
    },
  ],
  [
    'cancel',
    async ({ mcp, set, tools, isAborted }) => {
      if (!set.cancel || !tools.has(set.cancel.tool)) return NOT_OFFERED;
      const { tool, started, ended, says } = set.cancel;
      const args = { key: randomUUID() };
      const giveUp = new AbortController();
      const givenUp = assert.rejects(said(mcp, tool, args, { signal: giveUp.signal }), isAborted);
      await Promise.race([said(mcp, started, args), givenUp]);
      giveUp.abort();
      await givenUp;
      assert.match(await said(mcp, ended, args), says);
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
  [
    // The wire is cut in the middle of a call, which ends meanwhile. Whoever cannot resume has to say that it is lost.
    'resume',
    async ({ mcp, set, tools, cut, elsewhere, hasResumed, isLost }) => {
      if (!set.resume || !tools.has(set.resume.tool)) return NOT_OFFERED;
      const { tool, args, started, letGo, says, steps } = set.resume;
      const key = { key: randomUUID() };
      const seen = [];
      let losing;
      const lose = async () => {
        cut();
        if (letGo) await elsewhere((other) => said(other, letGo, key));
      };
      const onProgress = ({ progress }) => {
        seen.push(progress);
        losing ??= lose();
      };
      const calling = said(mcp, tool, letGo ? key : args, { onProgress });
      const canTell = tools.has(set.progress.tool);
      if (!canTell) losing = said(mcp, started, key).then(lose);
      try {
        assert.match(await calling, says);
        assert.deepEqual(seen, canTell ? steps : []);
        assert.ok(hasResumed(), 'there was no request with Last-Event-ID');
      } catch (error) {
        if (!isLost(error)) throw error;
        return NOT_OFFERED;
      } finally {
        await losing;
      }
    },
  ],
  ['ping', ({ mcp }) => (mcp.ping ? mcp.ping() : NOT_OFFERED)],
  [
    'close',
    async ({ mcp, isGone }) => {
      assert.equal(mcp.state, 'ready');
      await mcp.close();
      await isGone();
    },
  ],
]);

// The official clients drop progress that they read together with the result. The server writes the two apart, but the system
// may still let a client run so late that it reads both at once. Without the pause of the server every run fails.
const RUNS = 15;

/** A check that has to succeed in most of its runs. */
export function mostly(check) {
  return async (about) => {
    let cell;
    const failures = [];
    for (let run = 0; run < RUNS; run++) {
      try {
        cell = await check(about);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > RUNS / 2) throw failures[0];
    return cell;
  };
}
