/** A request in, a response out: the one door of a server. It holds no connection and knows no transport. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Notification, type Params, type Request, type Response } from '../jsonrpc/message.ts';
import { runThrough } from '../jsonrpc/middleware.ts';
import { claimedVersion } from '../protocol/claim.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { livesIn, staysOpen } from '../protocol/methods.ts';
import { revisionNamed, revisionOf } from '../protocol/pick.ts';
import type { Revision } from '../protocol/revision.ts';
import { RequestContext } from './context.ts';
import { chain, isPromise, type Maybe } from './maybe.ts';
import { failureOf, resultOf } from './outcome.ts';
import { runInRounds } from './rounds.ts';
import type { Served, ServerParts } from './served.ts';

/** Answers a request; synchronously, if its handler is and its revision is loaded. Never throws, never rejects. */
export function answer(server: Served, request: Request, exchange: Exchange): Maybe<Response> {
  const own = server['~parts'];
  try {
    const params = paramsOf(request);
    const revision = revisionOf(request.method, params, exchange.session, own.host.versions);
    return isPromise(revision)
      ? answerLate(revision, own, request, params, exchange)
      : answerIn(revision, own, request, params, exchange);
  } catch (error) {
    return unreadable(own, request, error);
  }
}

// The first of its revision. What was given up while that was loaded need not begin.
async function answerLate(
  loading: Promise<Revision>,
  own: ServerParts,
  request: Request,
  params: Params,
  exchange: Exchange,
): Promise<Response> {
  try {
    const revision = await loading;
    if (exchange.cancelled) throw RpcError.internal('The request was cancelled before it began');
    return await answerIn(revision, own, request, params, exchange);
  } catch (error) {
    return unreadable(own, request, error);
  }
}

// Throws what is wrong with the request before there is a context for it.
function answerIn(
  revision: Revision,
  own: ServerParts,
  { id, method }: Request,
  params: Params,
  exchange: Exchange,
): Maybe<Response> {
  const caller = revision.callerOf(params, exchange.session);
  const ctx = new RequestContext(id, method, params, caller, exchange, revision, own);
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

function unreadable(own: ServerParts, { id, method }: Request, error: unknown): Response {
  if (error instanceof RpcError) return { jsonrpc: '2.0', id, error: error.toObject() };
  // Part of this package could not be loaded.
  own.report(error, { method });
  return { jsonrpc: '2.0', id, error: RpcError.internal().toObject() };
}

/** Takes a notification. There is no answer, so what goes wrong is only reported. */
export function notice(server: Served, notification: Notification, exchange: Exchange): Maybe<void> {
  const own = server['~parts'];
  const { method } = notification;
  const report = (error: unknown): void => own.report(error, { method });
  try {
    const params = paramsOf(notification);
    const taken = chain(revisionOfNotice(own, method, params, exchange), (revision) =>
      revision && livesIn(method, revision.facts.version)
        ? noticeIn(revision, own, method, params, exchange)
        : undefined,
    );
    return isPromise(taken) ? taken.then(() => undefined, report) : undefined;
  } catch (error) {
    report(error);
  }
}

// A notification speaks the revision it claims, else the session's; if there is neither, it is for nobody.
function revisionOfNotice(
  { host }: ServerParts,
  method: string,
  params: Params,
  { session }: Exchange,
): Maybe<Revision | undefined> {
  if (claimedVersion(params) !== undefined) return revisionOf(method, params, undefined, host.versions);
  return session && revisionNamed(session.version);
}

function noticeIn(
  revision: Revision,
  own: ServerParts,
  method: string,
  params: Params,
  exchange: Exchange,
): Maybe<unknown> {
  const caller = revision.callerOf(params, exchange.session);
  const ctx = new RequestContext('', method, params, caller, exchange, revision, own);
  return runThrough(own.middleware, ctx, () => handleNotice(own, ctx)) as Maybe<unknown>;
}

// What stays open, unless it is the author's: nothing is kept ready for questions for as long as it lasts.
function asksNobody(own: ServerParts, method: string): boolean {
  return staysOpen(method) && own.middleware.length === 0 && own.handler(method) === undefined;
}

function enter(own: ServerParts, ctx: RequestContext): unknown {
  return own.middleware.length === 0 ? handle(own, ctx) : runThrough(own.middleware, ctx, () => handle(own, ctx));
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
