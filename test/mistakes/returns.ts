/** Mistakes in handlers: what they return and throw. */

import { testClient } from 'mcpp/testing';
import { z } from 'zod';
import { type Mistake, make, reportOf, stderrOf } from './mistake.ts';

const cause = 'A handler returned a value that JSON cannot carry.';

/** The texts of a result of a tool with this handler. */
async function resultOf(handler: () => unknown, config: object = {}): Promise<string> {
  const client = await testClient<unknown>(make({ onError() {} }).registerTool('t', config as never, handler as never));
  const { content } = await client.callTool('t');
  await client.close();
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
}

async function call(handler: () => unknown): Promise<void> {
  const client = await testClient<unknown>(make().registerTool('t', {}, handler as never));
  await client.callTool('t');
  await client.close();
}

const circular = (): unknown => {
  const result: Record<string, unknown> = {};
  result['self'] = result;
  return result;
};

const unclear = (message: string, what: string, remedy: string, handler: () => unknown): Mistake => ({
  message,
  where: 'onError',
  cause: what,
  remedy,
  seen: () => reportOf(handler),
});

export const RETURNS: readonly Mistake[] = [
  {
    message: 'Internal error (reference ...)',
    where: 'tool result',
    cause:
      'A handler threw an error that is no `ToolError`. Its message may contain secrets, so the client gets a reference.',
    remedy:
      "Find the reference on stderr or in `onError`. Throw `new ToolError('...')` to give the model a text, or set `errors: 'messages'`.",
    seen: () =>
      resultOf(() => {
        throw new Error('City not found');
      }),
  },
  {
    message: "mcpp: tools/call, t, reference ...: The client got only the reference. Throw new ToolError('...') ...",
    where: 'stderr',
    cause: 'The first time that a tool throws a plain error, stderr says how to show its message to the model.',
    remedy: "Throw `new ToolError('City not found')`, or set `errors: 'messages'` on the server or on the tool.",
    seen: () =>
      stderrOf(() =>
        call(() => {
          throw new Error('City not found');
        }),
      ),
  },
  {
    message:
      'Tool "t" has an output schema, but returned no structured content: return the object that the schema describes',
    where: 'onError',
    cause: 'The handler of a tool with an `outputSchema` returned nothing, or only content.',
    remedy: 'Return the object that the schema describes, or `{ content, structuredContent }`.',
    seen: () => reportOf(() => undefined, { outputSchema: z.object({ n: z.number() }) }),
  },
  {
    message:
      'Tool "t" returned a result that does not fit its output schema: /n Invalid input: expected number, received string',
    where: 'onError',
    cause: 'The structured content does not fit the `outputSchema`.',
    remedy: 'Correct the value at the named place, or the schema.',
    seen: () => reportOf(() => ({ n: 'x' }), { outputSchema: z.object({ n: z.number() }) }),
  },
  unclear(
    'Tool "t" returned a result that JSON cannot encode: /self is the same object as the value itself: JSON cannot write a cycle',
    'A result contains itself.',
    'Return plain data without the reference that the message names.',
    circular,
  ),
  unclear(
    'Tool "t" returned a result that JSON cannot encode: /n/deep is a BigInt, which JSON cannot write: use String(value)',
    'JSON has no BigInt.',
    'Convert it: `Number(n)` or `String(n)`.',
    () => ({
      n: { deep: 10n },
    }),
  ),
  unclear(
    'Tool "t" returned a Map: return Object.fromEntries(map) or [...map]',
    cause,
    'Convert it: `Object.fromEntries(map)`.',
    () => new Map(),
  ),
  unclear('Tool "t" returned a Set: return [...set]', cause, 'Convert it: `[...set]`.', () => new Set()),
  unclear(
    'Tool "t" returned an Error: throw it; throw new ToolError(\'...\') shows its text to the model',
    'A handler returned an error instead of throwing it.',
    'Throw it: `throw new ToolError(...)`.',
    () => new Error('x'),
  ),
  unclear(
    'Tool "t" returned a Response: return await response.text() or await response.json()',
    'A handler returned the response of `fetch`.',
    'Return what it contains: `await response.json()` or `await response.text()`.',
    () => new Response('x'),
  ),
  unclear(
    'Tool "t" returned a Generator: return [...generator]',
    'A handler is a generator function.',
    'Collect the values, and report progress with `ctx.reportProgress`.',
    function* () {
      yield 1;
    },
  ),
  unclear(
    'Tool "t" returned a function: call it, and return what it gives',
    cause,
    'Call the function, and return its result.',
    () => () => 1,
  ),
  unclear(
    'Tool "t" returned an object with a Promise at /p: an "await" is missing',
    'An `await` is missing.',
    'Write `await` before the value at the named place.',
    () => ({ p: Promise.resolve(1) }),
  ),
  unclear(
    'Tool "t" returned bytes (Buffer): return image(bytes, mimeType) or audio(bytes, mimeType) of mcpp/server, a resource with a base64 "blob", or text',
    'A handler returned a Buffer or typed array.',
    'Return `image(bytes, mimeType)` or `audio(bytes, mimeType)`, or an embedded resource.',
    () => Buffer.from('x'),
  ),
  unclear(
    'Tool "t" returned an object with "content" that is no result: /content/0/type must be "text", "image", "audio", "resource_link" or "resource". If it is data, declare an outputSchema',
    'A content block has a type that the protocol does not have.',
    'Use `text`, `image`, `audio`, `resource` or `resource_link`.',
    () => ({ content: [{ type: 'txt', text: 'x' }] }),
  ),
  unclear(
    'Tool "t" returned an object with "content" that is no result: /content must be an array, such as [{ type: "text", text: "..." }]. If it is data, declare an outputSchema',
    '`content` is a string.',
    "Return the string itself, or `{ content: [{ type: 'text', text }] }`.",
    () => ({ content: 'hello' }),
  ),
  unclear(
    'Tool "t" returned an object with "content" that is no result: /content/0/mimeType must be a string. If it is data, declare an outputSchema',
    'An image has no MIME type.',
    'Use the helper `image(bytes, mimeType)`.',
    () => ({ content: [{ type: 'image', data: 'AAAA' }] }),
  ),
];
