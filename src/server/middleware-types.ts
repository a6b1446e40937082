/** Types of middleware: functions around every request and notification, with params typed by method. */

import type { Params } from '../jsonrpc/message.ts';
import type { Context } from './context.ts';

/** The context of middleware. Its params are typed by its method. */
export type MiddlewareContext = Context & TypedRequest;

/**
 * Runs around the handler of a request or notification. `next()` calls the next middleware, or the handler, and returns its
 * result; the middleware returns that or another result. Errors are treated like errors of the handler. If the handler requires
 * input, middleware may run more than once for one request.
 */
export type Middleware = (ctx: MiddlewareContext, next: () => Promise<unknown>) => unknown;

/** Params of `tools/call` and `prompts/get`. */
export interface NamedParams extends Params {
  /** The name of the tool or prompt. */
  readonly name: string;
  /** The arguments as the client sent them: they are checked against the schema after all middleware. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** Params of a request about one resource. */
export interface ResourceParams extends Params {
  readonly uri: string;
}

/** Types of the params that are checked before middleware runs, by method. */
export interface RequestParams {
  readonly 'tools/call': NamedParams;
  readonly 'prompts/get': NamedParams;
  readonly 'resources/read': ResourceParams;
  readonly 'resources/subscribe': ResourceParams;
  readonly 'resources/unsubscribe': ResourceParams;
}

/** The type of the params of a method: unchecked `Params` for methods that are not in `RequestParams`. */
export type ParamsOf<Method extends string> = Method extends keyof RequestParams ? RequestParams[Method] : Params;

/**
 * A method and its params: after `ctx.method === 'tools/call'` the params have the type of `tools/call`. The last member is for
 * all other methods. The compiler cannot exclude it by comparison, so its params must have the same member types.
 */
export type TypedRequest =
  | {
      readonly [Method in keyof RequestParams]: { readonly method: Method; readonly params: RequestParams[Method] };
    }[keyof RequestParams]
  | { readonly method: string; readonly params: NamedParams & ResourceParams };
