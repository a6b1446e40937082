/** Types of server middleware, with params typed by method. */

import type { Params } from '../jsonrpc/message.ts';
import type { Context } from './context.ts';

/** The context of middleware. Comparing `ctx.method` with a string narrows the type of `ctx.params`. */
export type MiddlewareContext = Context & TypedRequest;

/**
 * Wraps the handler of each request and notification. `next()` runs the rest of the chain and resolves to its result. Return
 * this result or another one. Errors are treated like handler errors. If the handler runs again with input, so does middleware.
 */
export type Middleware = (ctx: MiddlewareContext, next: () => Promise<unknown>) => unknown;

/** Params of `tools/call` and `prompts/get`. */
export interface NamedParams extends Params {
  readonly name: string;
  /** Arguments as the client sent them. The input schema validates them after all middleware. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** Params of `resources/read`, `resources/subscribe` and `resources/unsubscribe`. */
export interface ResourceParams extends Params {
  readonly uri: string;
}

/** Types of the params that are validated before middleware runs, keyed by method. */
export interface RequestParams {
  readonly 'tools/call': NamedParams;
  readonly 'prompts/get': NamedParams;
  readonly 'resources/read': ResourceParams;
  readonly 'resources/subscribe': ResourceParams;
  readonly 'resources/unsubscribe': ResourceParams;
}

/** Type of the params of a method; unvalidated `Params` for methods that are not in `RequestParams`. */
export type ParamsOf<Method extends string> = Method extends keyof RequestParams ? RequestParams[Method] : Params;

/**
 * A method and its params: `ctx.method === 'tools/call'` narrows the params. The last member of the union is for other methods.
 * Narrowing never excludes this member, because its `method` is any string. So its params combine the params of all others.
 */
export type TypedRequest =
  | {
      readonly [Method in keyof RequestParams]: { readonly method: Method; readonly params: RequestParams[Method] };
    }[keyof RequestParams]
  | { readonly method: string; readonly params: NamedParams & ResourceParams };
