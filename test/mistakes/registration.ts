/** Mistakes where tools, prompts and resources are registered. */

import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { type Mistake, make, messageOf, stderrOf } from './mistake.ts';

const handler = (): string => 'x';

const register =
  (config: unknown, name = 'add', run: unknown = handler) =>
  () =>
    messageOf(() => make().registerTool(name, config as never, run as never));

export const REGISTRATION: readonly Mistake[] = [
  {
    message: 'Tool "add": inputSchema/name: is a plain object of schemas: wrap it, as in z.object({ ... })',
    where: 'thrown',
    cause: 'The schema is a raw shape, as other SDKs take it.',
    remedy: 'Wrap the shape: `inputSchema: z.object({ name: z.string() })`.',
    seen: register({ inputSchema: { name: z.string() } }),
  },
  {
    message: 'Tool "add": inputSchema: schemas of zod 3 cannot be converted: import z from \'zod/v4\'',
    where: 'thrown',
    cause: 'The schema comes from zod 3, which cannot describe itself as JSON Schema.',
    remedy: "Install zod 4, or import `z` from `'zod/v4'`, which zod 3.25 and later contain.",
    seen: register({ inputSchema: z3.object({ a: z3.string() }) }),
  },
  {
    message: 'Tool "add": inputSchema/properties/d: Date cannot be represented in JSON Schema',
    where: 'thrown',
    cause: 'Arguments travel as JSON, which has no dates.',
    remedy: 'Use `z.iso.datetime()` (a string), and make a `Date` of it in the handler.',
    seen: register({ inputSchema: z.object({ d: z.date() }) }),
  },
  {
    message:
      'Tool "add": inputSchema/properties/a/type: must be string, number, integer, boolean, null, array or object, or an array of these',
    where: 'thrown',
    cause: 'A JSON Schema has a misspelled type.',
    remedy: 'Correct the type at the place that the message names.',
    seen: register({ inputSchema: { type: 'object', properties: { a: { type: 'strng' } } } }),
  },
  {
    message:
      'mcpp: Tool "add": inputSchema/propertees: JSON Schema has no such keyword, so it has no effect; did you mean "properties"?',
    where: 'stderr',
    cause: 'A JSON Schema has a misspelled keyword. JSON Schema allows unknown keywords, so this is a warning.',
    remedy: 'Correct the keyword.',
    seen: () =>
      stderrOf(() => make().registerTool('add', { inputSchema: { type: 'object', propertees: {} } } as never, handler)),
  },
  {
    message: 'mcpp: Tool "add": inputSchema/required: "b" is not one of the properties',
    where: 'stderr',
    cause:
      '`required` names an argument that `properties` does not have, so no call can be right by the listed properties alone.',
    remedy: 'Correct the name, or add the property.',
    seen: () =>
      stderrOf(() =>
        make().registerTool(
          'add',
          { inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['b'] } },
          handler,
        ),
      ),
  },
  {
    message: 'Tool "add": unknown option "inputschema"; did you mean "inputSchema"?',
    where: 'thrown',
    cause: 'An option of a tool is misspelled.',
    remedy: 'Correct the name. TypeScript refuses it at compile time.',
    seen: register({ inputschema: {} }),
  },
  {
    message: 'Tool "add": unknown option "parameters"; did you mean "inputSchema"?',
    where: 'thrown',
    cause: 'fastmcp calls the schema of the arguments `parameters`.',
    remedy: 'Write `inputSchema`.',
    seen: register({ parameters: z.object({}) }),
  },
  {
    message: 'Tool "my tool": a name has 1 to 128 of the characters A-Z a-z 0-9 _ . -',
    where: 'thrown',
    cause: 'The name of a tool has a space or another character that hosts refuse.',
    remedy: 'Use a name such as `my_tool`, and `title: "My tool"` for people.',
    seen: register({}, 'my tool'),
  },
  {
    message: 'Tool "add" is registered already; pass replace: true to replace it',
    where: 'thrown',
    cause: 'Two tools have the same name.',
    remedy: 'Rename one, or pass `replace: true` to put the new tool in the place of the old one.',
    seen: () => messageOf(() => make().registerTool('add', {}, handler).registerTool('add', {}, handler)),
  },
  {
    message: 'Tool "add": the handler must be a function',
    where: 'thrown',
    cause: '`registerTool` got no handler, or something else in its place.',
    remedy: 'Pass the handler as the third argument: `registerTool(name, options, handler)`.',
    seen: () => messageOf(() => make().registerTool('add', {}, undefined as never)),
  },
  {
    message: 'Resource "notes": the URI is not valid, it needs a scheme',
    where: 'thrown',
    cause: 'The first argument of `registerResource` is a name or a path.',
    remedy: 'Give a URI, such as `notes://all` or `file:///notes.md`.',
    seen: () => messageOf(() => make().registerResource('notes', {}, handler)),
  },
  {
    message: 'URI template "notes://{id": "{" is never closed at position 8',
    where: 'thrown',
    cause: 'A URI template has a brace too few.',
    remedy: 'Close the expression: `notes://{id}`.',
    seen: () => messageOf(() => make().registerResourceTemplate('notes://{id', {}, handler)),
  },
  {
    message: 'Resource template "notes://{id}": complete has "idd", but there is no such argument or variable',
    where: 'thrown',
    cause: 'A completion is given for a variable that the template does not have.',
    remedy: 'Use the name of a variable of the template.',
    seen: () =>
      messageOf(() =>
        make().registerResourceTemplate('notes://{id}', { complete: { idd: () => [] } } as never, handler),
      ),
  },
  {
    message: 'Prompt "p": argsSchema/properties/n: an argument of a prompt is always a string',
    where: 'thrown',
    cause: 'The protocol has only strings as arguments of prompts.',
    remedy: 'Use `z.string()`, and convert the text in the handler.',
    seen: () =>
      messageOf(() => make().registerPrompt('p', { argsSchema: z.object({ n: z.number() }) } as never, handler)),
  },
  {
    message:
      'Tool "add": inputSchema/properties/a/pattern: must not repeat a group that can match the same text in many ways, such as (a+)+',
    where: 'thrown',
    cause: 'A client could make this pattern run for minutes with a short text.',
    remedy: 'Rewrite the pattern so that each text can be matched in one way, for instance `a+`.',
    seen: async () =>
      messageOf(async () => {
        const server = make().registerTool(
          'add',
          { inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } } },
          handler,
        );
        const { testClient } = await import('mcpp/testing');
        await (await testClient<unknown>(server)).close();
      }),
  },
  {
    message: 'McpServer: unknown option "instruction"; did you mean "instructions"?',
    where: 'thrown',
    cause: 'An option is misspelled. The same check covers `limits`, `cache`, `connect` and all `serve` functions.',
    remedy: 'Correct the name.',
    seen: () => messageOf(() => make({ instruction: 'x' })),
  },
  {
    message: 'McpServer: limits: unknown option "pagesize"; did you mean "pageSize"?',
    where: 'thrown',
    cause: 'An option within `limits` is misspelled.',
    remedy: 'Correct the name; [limits.md](limits.md) lists all of them.',
    seen: () => messageOf(() => make({ limits: { pagesize: 5 } })),
  },
  {
    message:
      'Unknown protocol revision "2025-01-01"; known: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05',
    where: 'thrown',
    cause: '`revisions` names a date that no revision of the protocol has.',
    remedy: 'Use one of the listed revisions, or leave the option out to serve all.',
    seen: () => messageOf(() => make({ revisions: ['2025-01-01'] })),
  },
  {
    message: 'Each of "keys" must have at least 32 bytes',
    where: 'thrown',
    cause: 'A key in `keys` is too short to protect the state that clients carry.',
    remedy:
      "Make one with `node -e \"console.log(require('crypto').randomBytes(32).toString('base64'))\"`, and keep it secret.",
    seen: () => messageOf(() => make({ keys: ['short'] })),
  },
  {
    message: 'use needs a function, (ctx, next) => next()',
    where: 'thrown',
    cause: '`use` got something that is no function.',
    remedy: 'Pass the middleware itself: `server.use(async (ctx, next) => next())`.',
    seen: () => messageOf(() => make().use('x' as never)),
  },
];
