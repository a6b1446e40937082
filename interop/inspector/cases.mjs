/**
 * What the Inspector's command line is told to ask the example for, after `--method`, and what it has to print: `result`
 * looks at the result, `error` is what it says is wrong when it ends with `code`. What it says if there is no such thing
 * in a revision is `missing`.
 */

import assert from 'node:assert/strict';

const namesOf = (list) => list.map(({ name }) => name);
const textOf = ({ content }) => content.map((block) => block.text).join('\n');

const tool = (name, ...args) => ['tools/call', '--tool-name', name, '--tool-arg', ...args];
const read = (uri) => ['resources/read', '--uri', uri];
const prompt = (name, ...args) => ['prompts/get', '--prompt-name', name, '--prompt-args', ...args];

/** The result is the text of one resource. */
const reads =
  (said) =>
  ({ contents }) =>
    assert.deepEqual(
      contents.map((content) => content.text),
      [said],
    );

/** The result is one message of the user's. */
const asks =
  (said) =>
  ({ messages }) =>
    assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: said } }]);

const info = (revision) => ({
  name: 'InspectorExample',
  version: '1.0.0',
  revision,
  tools: ['calculate', 'echo', 'get_time'],
});

export const CASES = [
  {
    args: ['initialize'],
    result({ serverInfo, protocolVersion, capabilities, instructions }, revision) {
      assert.deepEqual(serverInfo, { name: 'InspectorExample', version: '1.0.0' });
      assert.equal(protocolVersion, revision);
      assert.deepEqual(Object.keys(capabilities).sort(), ['completions', 'logging', 'prompts', 'resources', 'tools']);
      assert.match(instructions, /^Three tools/);
    },
  },
  {
    // Without an error of --strict, which is about schemas that not every model takes.
    args: ['tools/list', '--strict'],
    result({ tools }) {
      assert.deepEqual(namesOf(tools), ['calculate', 'echo', 'get_time']);
      assert.deepEqual(tools[0].inputSchema.required, ['operation', 'a', 'b']);
      assert.deepEqual(tools[0].outputSchema.required, ['result']);
    },
  },
  {
    args: tool('calculate', 'operation=multiply', 'a=6', 'b=7'),
    result: ({ structuredContent }) => assert.deepEqual(structuredContent, { result: 42 }),
  },
  {
    args: tool('calculate', 'operation=divide', 'a=1', 'b=0'),
    result(result) {
      assert.equal(result.isError, true);
      assert.equal(textOf(result), 'Division by zero');
    },
    code: 5,
    error: /returned isError/,
  },
  { args: tool('echo', 'message=hello'), result: (result) => assert.equal(textOf(result), 'hello') },
  {
    args: tool('get_time', 'timeZone=Asia/Tokyo'),
    result: (result) => assert.match(textOf(result), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d GMT\+09:00$/),
  },
  {
    args: ['resources/list'],
    result: ({ resources }) => assert.deepEqual(namesOf(resources), ['notes', 'server-info']),
  },
  {
    args: ['resources/templates/list'],
    result: ({ resourceTemplates }) =>
      assert.deepEqual(
        resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        ['file:///{name}'],
      ),
  },
  { args: read('file:///todo.txt'), result: reads('Try every method.\n') },
  {
    args: read('info://server'),
    result: (result, revision) => reads(JSON.stringify(info(revision)))(result),
  },
  { args: read('file:///missing.txt'), code: 1, error: /Resource not found/ },
  {
    args: ['prompts/list'],
    result: ({ prompts }) => assert.deepEqual(namesOf(prompts), ['greeting', 'code_review']),
  },
  { args: prompt('greeting', 'name=Ada', 'style=formal'), result: asks('Write a formal greeting for Ada.') },
  {
    args: prompt('code_review', 'code=let a = 1', 'language=rust'),
    result: asks('Review this code, bugs first:\n\n```rust\nlet a = 1\n```'),
  },
  {
    args: ['logging/setLevel', '--log-level', 'info'],
    result: (result) => assert.deepEqual(result, {}),
    missing: { from: '2026-07-28', says: /not supported by the negotiated protocol version/ },
  },
  // The methods of an extension the example does not have.
  { args: ['skills/list'], missing: { says: /does not declare/ } },
  { args: ['skills/get', '--uri', 'skill://none/SKILL.md'], missing: { says: /does not declare/ } },
  { args: ['resources/directory/read', '--uri', 'skill://none'], missing: { says: /did not declare/ } },
];

/** It is not there in this revision. */
export const isMissing = ({ missing }, revision) => missing !== undefined && revision >= (missing.from ?? '');
