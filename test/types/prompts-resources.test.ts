/** What the handlers of prompts and resource templates get. */

import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { type Context, McpServer, type Variables } from '../../src/entries/server.ts';

/** However it was put together. */
type Flat<T> = { [K in keyof T]: T[K] };

const makeServer = (): McpServer => new McpServer({ name: 'types', version: '1.0.0' });

test('a prompt gets the arguments its schema gives', () => {
  makeServer()
    .registerPrompt('zod', { argsSchema: z.object({ a: z.string(), b: z.string().optional() }) }, (args, ctx) => {
      expectTypeOf(args).toEqualTypeOf<{ a: string; b?: string | undefined }>();
      expectTypeOf(ctx).toEqualTypeOf<Context>();
      return args.a;
    })
    .registerPrompt(
      'json',
      { argsSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{ a: string }>();
        return args.a;
      },
    );
});

test('a closed JSON Schema with properties is not taken for no schema', () => {
  makeServer().registerPrompt(
    'closed',
    {
      argsSchema: {
        type: 'object',
        properties: { a: { type: 'string' } },
        required: ['a'],
        additionalProperties: false,
      },
    },
    (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: string }>();
      return args.a;
    },
  );
});

test('a prompt without a schema has no arguments; with one that is no literal they are strings', () => {
  const argsSchema: Record<string, unknown> = { type: 'object' };
  makeServer()
    .registerPrompt('none', {}, (args) => {
      // @ts-expect-error there is nothing to read
      const text: string = args.text;
      return text ?? '';
    })
    .registerPrompt('loaded', { argsSchema }, (args) => {
      expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, string>>>();
      return '';
    });
});

test('a prompt returns a string, messages or a whole result, and roles do not widen', () => {
  const server = makeServer()
    .registerPrompt('string', {}, () => 'text')
    .registerPrompt('message', {}, () => ({ role: 'user', content: { type: 'text', text: 'x' } }))
    .registerPrompt('messages', {}, async () => [{ role: 'assistant', content: { type: 'text', text: 'x' } }])
    .registerPrompt('result', {}, async () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] }));
  // @ts-expect-error nobody is called "system"
  server.registerPrompt('wrong', {}, () => ({ role: 'system', content: { type: 'text', text: 'x' } }));
});

test('the variables of a template are read from its text', () => {
  makeServer()
    .registerResourceTemplate('notes://{owner}/{id}', 'text/plain', (variables, ctx, uri) => {
      expectTypeOf<Flat<typeof variables>>().toEqualTypeOf<{ readonly owner: string; readonly id: string }>();
      expectTypeOf(ctx).toEqualTypeOf<Context>();
      expectTypeOf(uri).toEqualTypeOf<string>();
      return variables.owner;
    })
    .registerResourceTemplate('a://{x,y}/{+path}{#part}', 'text/plain', (variables) => {
      expectTypeOf<Flat<typeof variables>>().toEqualTypeOf<{
        readonly x: string;
        readonly y: string;
        readonly path: string;
        readonly part: string;
      }>();
      return '';
    })
    .registerResourceTemplate('b://{id:8}', 'text/plain', (variables) => {
      expectTypeOf<Flat<typeof variables>>().toEqualTypeOf<{ readonly id: string }>();
      return '';
    });
});

test('a variable with a star is a list, and one of a query may be missing', () => {
  makeServer()
    .registerResourceTemplate('file://{/path*}', 'text/plain', (variables) => {
      expectTypeOf<Flat<typeof variables>>().toEqualTypeOf<{ readonly path: readonly string[] }>();
      return '';
    })
    .registerResourceTemplate('find://{table}{?limit,tags*}', 'text/plain', (variables) => {
      expectTypeOf<Flat<typeof variables>>().toEqualTypeOf<{
        readonly table: string;
        readonly limit?: string;
        readonly tags?: readonly string[];
      }>();
      return '';
    });
});

test('a variable the template does not have is an error', () => {
  // @ts-expect-error it is called "id"
  makeServer().registerResourceTemplate('notes://{id}', 'text/plain', ({ name }) => String(name));
});

test('of a template that is no literal only what variables are is known', () => {
  const template: string = 'notes://{id}';
  makeServer().registerResourceTemplate(template, 'text/plain', (variables) => {
    expectTypeOf(variables).toEqualTypeOf<Variables>();
    return '';
  });
});
