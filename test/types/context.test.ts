/** What a handler gets when it asks. */

import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { type Context, McpServer } from '../../src/entries/server.ts';

type Asked<F extends (ctx: Context) => unknown> = Awaited<ReturnType<F>>;

test('the content of an elicitation has the type of its schema, once the action is looked at', () => {
  const ask = async (ctx: Context) => {
    const answer = await ctx.elicit('Who are you?', z.object({ name: z.string(), age: z.number().optional() }));
    expectTypeOf(answer.action).toEqualTypeOf<'accept' | 'decline' | 'cancel'>();
    // @ts-expect-error who declines fills in nothing
    expectTypeOf(answer.content).toBeNever();
    if (answer.action !== 'accept') {
      expectTypeOf(answer).toEqualTypeOf<{ readonly action: 'decline' } | { readonly action: 'cancel' }>();
      return undefined;
    }
    return answer.content;
  };
  expectTypeOf<Asked<typeof ask>>().toEqualTypeOf<{ name: string; age?: number | undefined } | undefined>();
});

test('a form written in place as JSON Schema needs no "as const"', () => {
  const ask = async (ctx: Context) => {
    const answer = await ctx.elicit('Which size?', {
      type: 'object',
      properties: { size: { type: 'string', enum: ['S', 'M'] }, gift: { type: 'boolean' } },
      required: ['size'],
    });
    return answer.action === 'accept' ? answer.content : undefined;
  };
  expectTypeOf<Asked<typeof ask>>().toEqualTypeOf<{ size: 'S' | 'M'; gift?: boolean } | undefined>();
});

test('consent to a page brings no content', () => {
  const ask = async (ctx: Context) => {
    const answer = await ctx.elicitUrl('Log in', 'https://example.com/login');
    return answer.action === 'accept' ? answer.content : 'no';
  };
  expectTypeOf<Asked<typeof ask>>().toEqualTypeOf<'no' | undefined>();
});

test('a step gives what its function gives, now or later', () => {
  const run = (ctx: Context) => ctx.step('pay', async () => ({ receipt: 'r1' }));
  expectTypeOf<Asked<typeof run>>().toEqualTypeOf<{ receipt: string }>();
});

test('capabilities are suggested by name, and extensions may have others', () => {
  const can = (ctx: Context) => ctx.can('elicitation.form') && ctx.can('com.example/feature');
  expectTypeOf<Asked<typeof can>>().toEqualTypeOf<boolean>();
  // @ts-expect-error a capability has a name
  const wrong = (ctx: Context) => ctx.can(1);
  expectTypeOf(wrong).toBeFunction();
});

test('params are typed by the method', () => {
  new McpServer({ name: 'types', version: '1.0.0' })
    .use((ctx, next) => {
      expectTypeOf(ctx.method).toEqualTypeOf<string>();
      expectTypeOf(ctx.params['anything']).toEqualTypeOf<unknown>();
      if (ctx.method === 'tools/call') {
        expectTypeOf(ctx.params.name).toEqualTypeOf<string>();
        expectTypeOf(ctx.params.arguments).toEqualTypeOf<Readonly<Record<string, unknown>> | undefined>();
      }
      if (ctx.method === 'resources/read') expectTypeOf(ctx.params.uri).toEqualTypeOf<string>();
      if (ctx.method === 'com.example/own') expectTypeOf(ctx.params['anything']).toEqualTypeOf<unknown>();
      return next();
    })
    .setHandler('tools/call', ({ name }) => {
      expectTypeOf(name).toEqualTypeOf<string>();
      return { content: [] };
    })
    .setHandler('com.example/own', ({ name }) => {
      expectTypeOf(name).toEqualTypeOf<unknown>();
      return {};
    });
});
