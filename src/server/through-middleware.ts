/** A request on its way through the middleware of a server, and what becomes of errors there. */

import { runThrough } from '../jsonrpc/middleware.ts';
import { printable } from '../jsonrpc/printable.ts';
import { livesIn } from '../protocol/methods.ts';
import { checkShape } from '../protocol/request-shape.ts';
import type { RequestContext } from './context.ts';
import { toolFailure } from './failures.ts';
import { chain, isPromise, type Maybe } from './maybe.ts';
import type { MiddlewareContext } from './middleware.ts';
import type { Entry } from './registry.ts';
import { resourceAt } from './resource-at.ts';
import { WrongReturn } from './returned.ts';
import type { ServerParts } from './served.ts';

/** Answers a request through all middleware. Errors of middleware are treated like errors of the handler behind it. */
export function throughMiddleware(own: ServerParts, ctx: RequestContext, handle: () => unknown): Maybe<unknown> {
  const refuseNothing = (index: number): never => {
    const { name } = own.middleware[index] ?? {};
    const which = name ? `Middleware ${index + 1} ("${printable(name, 64)}")` : `Middleware ${index + 1}`;
    throw new WrongReturn(
      `${which} returned nothing for ${printable(ctx.method, 128)}: return await next(), or a result`,
    );
  };
  // A handler of one's own may return nothing; a middleware that does so has forgotten what `next` gave.
  const innermost = (): unknown => chain(handle(), (value) => (value === undefined ? {} : value));
  const fail = (error: unknown): Maybe<unknown> => failure(own, ctx, error);
  const finish = (value: unknown): unknown => (value === undefined ? refuseNothing(0) : value);
  try {
    if (isServed(own, ctx)) checkShape(ctx.method, ctx.params);
    const result = runThrough(own.middleware, ctx as unknown as MiddlewareContext, innermost, refuseNothing);
    return isPromise(result) ? Promise.resolve(result).then(finish).catch(fail) : finish(result);
  } catch (error) {
    return fail(error);
  }
}

// Of a method that is not served the middleware sees whatever was sent.
function isServed(own: ServerParts, { method, wire }: RequestContext): boolean {
  return livesIn(method, wire.facts.version) && (own.handler(method) ?? wire.methods.get(method)) !== undefined;
}

function failure(own: ServerParts, ctx: RequestContext, error: unknown): Maybe<unknown> {
  ctx.entry ??= entryOf(own, ctx);
  if (ctx.method !== 'tools/call' || error instanceof WrongReturn) throw error;
  return toolFailure(error, ctx);
}

// The middleware may have failed before the request got to its tool, prompt or resource, which has a say in what is sent.
function entryOf({ registries }: ServerParts, ctx: RequestContext): Entry | undefined {
  const { tools, prompts, resources, templates } = registries;
  const { name, uri } = ctx.params;
  if (ctx.method === 'tools/call') return typeof name === 'string' ? tools.get(name, ctx) : undefined;
  if (ctx.method === 'prompts/get') return typeof name === 'string' ? prompts.get(name, ctx) : undefined;
  if (ctx.method !== 'resources/read' || typeof uri !== 'string') return undefined;
  return resourceAt(resources, templates, uri, ctx)?.entry;
}
