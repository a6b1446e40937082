/** A request in, a response out: the one door of a server. It holds no connection and knows no transport. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Notification, type Params, type Request, type Response } from '../jsonrpc/message.ts';
import { runThrough } from '../jsonrpc/middleware.ts';
import { claimedVersion } from '../protocol/claim.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { livesIn, staysOpen } from '../protocol/methods.ts';
import { revisionNamed, revisionOf } from '../protocol/pick.ts';
import { checkStrings } from '../protocol/string-limits.ts';
import { RequestContext } from './context.ts';
import { isPromise, type Maybe } from './maybe.ts';
import type { MiddlewareContext } from './middleware.ts';
import { failureOf, resultOf } from './outcome.ts';
import { runInRounds } from './rounds.ts';
import type { Served, ServerParts } from './served.ts';
import { throughMiddleware } from './through-middleware.ts';

/** Answers a request; synchronously, if its handler is. Its revision is loaded. Never throws, never rejects. */
export function answer(server: Served, request: Request, exchange: Exchange): Maybe<Response> {
  const own = server['~parts'];
  const { id, method } = request;
  let ctx: RequestContext;
  try {
    const params = paramsOf(request);
    checkStrings(method, params);
    const revision = revisionOf(method, params, exchange.session, own.host.versions);
    const caller = revision.callerOf(params, exchange.session);
    ctx = new RequestContext(id, method, params, caller, exchange, revision, own);
  } catch (error) {
    // Only this package's own code ran, and it throws nothing but these.
    return { jsonrpc: '2.0', id, error: (error as RpcError).toObject() };
  }
  try {
    const result = asksNobody(own, method) ? handle(own, ctx) : runInRounds(ctx, () => enter(own, ctx));
    if (!isPromise(result)) return respond(ctx, result);
    return inTime(ctx, result).then(
      (value) => respondOrRefuse(ctx, value),
      (error: unknown) => refuse(ctx, error),
    );
  } catch (error) {
    return refuse(ctx, error);
  }
}

/** Takes a notification. There is no answer, so what goes wrong is only reported. */
export function notice(server: Served, notification: Notification, exchange: Exchange): Maybe<void> {
  const own = server['~parts'];
  const { method } = notification;
  const report = (error: unknown): void => own.report(error, { method });
  try {
    const ctx = noticeContext(own, notification, exchange);
    if (!ctx) return undefined;
    const result = runThrough(own.middleware, ctx as unknown as MiddlewareContext, () => handleNotice(own, ctx));
    return isPromise(result) ? result.then(() => undefined, report) : undefined;
  } catch (error) {
    report(error);
  }
}

// A notification speaks the revision it claims, else the session's; if there is neither, it is for nobody.
function noticeContext(own: ServerParts, notification: Notification, exchange: Exchange): RequestContext | undefined {
  const { method } = notification;
  const { session } = exchange;
  const params = paramsOf(notification);
  const revision =
    claimedVersion(params) === undefined
      ? session && revisionNamed(session.version)
      : revisionOf(method, params, undefined, own.host.versions);
  if (!revision || !livesIn(method, revision.facts.version)) return undefined;
  return new RequestContext('', method, params, revision.callerOf(params, session), exchange, revision, own);
}

// What stays open, unless it is the author's: nothing is kept ready for questions for as long as it lasts.
function asksNobody(own: ServerParts, method: string): boolean {
  return staysOpen(method) && own.middleware.length === 0 && own.handler(method) === undefined;
}

function enter(own: ServerParts, ctx: RequestContext): unknown {
  return own.middleware.length === 0 ? handle(own, ctx) : throughMiddleware(own, ctx, () => handle(own, ctx));
}

function handle(own: ServerParts, ctx: RequestContext): unknown {
  const { method, wire } = ctx;
  const handler = own.handler(method);
  if (!livesIn(method, wire.facts.version)) throw RpcError.methodNotFound(method);
  if (handler) return handler(ctx);
  const ownMethod = wire.methods.get(method);
  if (!ownMethod) throw RpcError.methodNotFound(method);
  return ownMethod(ctx, own.host);
}

function handleNotice(own: ServerParts, ctx: RequestContext): Maybe<unknown> {
  const { method, wire, params, exchange } = ctx;
  if (exchange.session) wire.notifications.get(method)?.(params, exchange.session);
  return own.notificationHandler(method)?.(ctx);
}

function respond(ctx: RequestContext, value: unknown): Response {
  return { jsonrpc: '2.0', id: ctx.id, result: resultOf(ctx, value) };
}

function respondOrRefuse(ctx: RequestContext, value: unknown): Response {
  try {
    return respond(ctx, value);
  } catch (error) {
    return refuse(ctx, error);
  }
}

function refuse(ctx: RequestContext, error: unknown): Response {
  return { jsonrpc: '2.0', id: ctx.id, ...failureOf(ctx, error) };
}

// A handler that takes too long is aborted, and answered for.
function inTime(ctx: RequestContext, running: Promise<unknown>): Promise<unknown> {
  const { handlerMs } = ctx.parts.limits;
  if (!Number.isFinite(handlerMs) || staysOpen(ctx.method)) return running;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const late = RpcError.internal(`The request took more than ${handlerMs} ms`);
      ctx.exchange.outlivedBy(running);
      ctx.abortRun(late);
      reject(late);
    }, handlerMs);
    running.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function paramsOf({ params = {} }: Request | Notification): Params {
  if (!isObject(params)) throw RpcError.invalidParams('"params" must be an object');
  return params;
}
