/** Middleware: functions around every request and notification, and the params they see, typed by method. */

import type { Params } from '../jsonrpc/message.ts';
import type { Context } from './context.ts';

/** The context of a request or notification whose params are typed by its method. */
export type MiddlewareContext = Context & TypedRequest;

/**
 * Wraps a request or a notification. `next()` goes on inwards and gives the result; returning something else replaces
 * it, not calling `next` answers in its place. What it throws is treated like what a handler throws. With questions a
 * request may go through it more than once.
 */
export type Middleware = (ctx: MiddlewareContext, next: () => Promise<unknown>) => unknown;

/** Params of `tools/call` and `prompts/get`. */
export interface NamedParams extends Params {
  /** The name of the tool or prompt. */
  readonly name: string;
  /** As they arrived; they are checked against the schema later. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** Params of a request about one resource. */
export interface ResourceParams extends Params {
  readonly uri: string;
}

/** The params whose shape is checked before any middleware runs, by method. */
export interface RequestParams {
  readonly 'tools/call': NamedParams;
  readonly 'prompts/get': NamedParams;
  readonly 'resources/read': ResourceParams;
  readonly 'resources/subscribe': ResourceParams;
  readonly 'resources/unsubscribe': ResourceParams;
}

/** The params of a method; of one that is not in `RequestParams` nothing is known. */
export type ParamsOf<Method extends string> = Method extends keyof RequestParams ? RequestParams[Method] : Params;

/**
 * A method and its params: after `ctx.method === 'tools/call'` the params are those of `tools/call`. The compiler keeps the
 * last member, for all other methods, in every comparison, so the names that the protocol uses have its types there, too.
 */
export type TypedRequest =
  | {
      readonly [Method in keyof RequestParams]: { readonly method: Method; readonly params: RequestParams[Method] };
    }[keyof RequestParams]
  | { readonly method: string; readonly params: NamedParams & ResourceParams };
