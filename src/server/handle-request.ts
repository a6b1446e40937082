/** Handles one request on any transport: finds its revision and caller, checks scopes, runs middleware and handler, encodes. */

import { RpcError } from '../jsonrpc/errors.ts';
import { plainResult } from '../jsonrpc/json/plain-result.ts';
import { isPromise, type MaybePromise, thenMaybe } from '../jsonrpc/maybe-promise.ts';
import {
  EncodedJson,
  isObject,
  type Notification,
  type Params,
  type Request,
  type Response,
} from '../jsonrpc/message.ts';
import { runMiddleware } from '../jsonrpc/middleware.ts';
import { printable } from '../jsonrpc/printable.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { MethodRow } from '../protocol/methods.ts';
import { checkShape, checkStrings } from '../protocol/params.ts';
import type { Caller, Revision } from '../protocol/revision.ts';
import { revisionNamed, selectRevision } from '../protocol/select-revision.ts';
import { withTimeout } from '../timing/with-timeout.ts';
import { insufficientScope, missingScopes } from './authorization/scopes.ts';
import { ExtensionResult } from './extensions/extension-result.ts';
import type { Entry } from './features/registry.ts';
import { WrongReturn } from './features/tool-result.ts';
import { encodeError, toolFailure } from './handler-errors.ts';
import { InputRequiredResult, runWithInput } from './input/multi-round-trip.ts';
import type { Handler, ServerInternals } from './internals.ts';
import type { MiddlewareContext } from './middleware-types.ts';
import { RequestContext } from './request-context.ts';

/** Revision and caller of a request, from a transport that has found them and checked the request's scopes already. */
export interface RequestAdmission {
  readonly revision: Revision;
  readonly caller: Caller;
}

/**
 * Handles a request and returns its response; synchronously, if its handler is synchronous. `claim` is the protocol version in
 * its `_meta`, which the transport has read. With `admitted`, revision, caller and scopes are not determined again. Never throws
 * or rejects.
 */
export function handleRequest(
  server: ServerInternals,
  request: Request,
  exchange: Exchange,
  claim: unknown,
  admitted?: RequestAdmission,
): MaybePromise<Response> {
  const { id, method } = request;
  const { row, session } = exchange;
  let ctx: RequestContext;
  try {
    const params = paramsOf(request);
    checkStrings(method, params);
    const revision = admitted?.revision ?? selectRevision(claim, method, params, session, server.serverInfo.versions);
    const caller = admitted?.caller ?? revision.callerOf(params, session);
    if (server.requiresScopes && !admitted && !exchange.trusted) checkScopes(server, request, exchange, caller);
    ctx = new RequestContext(id, method, params, caller, exchange, revision, server);
  } catch (error) {
    const refusal = error instanceof RpcError ? error : RpcError.internal();
    return { jsonrpc: '2.0', id, error: refusal.toObject() };
  }
  try {
    const { middleware } = server;
    const handler = handlerOf(server, ctx);
    const handle = (): unknown => run(ctx, handler);
    // `subscriptions/listen` sends no input requests, and may run for days: skipping `runWithInput` saves memory.
    const result =
      row?.isLongLived && middleware.length === 0 && server.handler(method) === undefined
        ? handle()
        : runWithInput(ctx, middleware.length === 0 ? handle : () => throughMiddleware(ctx, handler));
    if (!isPromise(result)) return respond(ctx, result);
    return withinTime(ctx, result).then(
      (value) => respond(ctx, value),
      (error: unknown) => refuse(ctx, error),
    );
  } catch (error) {
    return refuse(ctx, error);
  }
}

/** Handles a notification. Errors go to `onError`, because a notification has no response. */
export function handleNotification(
  server: ServerInternals,
  notification: Notification,
  exchange: Exchange,
  claim: unknown,
): MaybePromise<void> {
  const { method } = notification;
  const report = (error: unknown): void => server.report(error, { method });
  try {
    const params = paramsOf(notification);
    const { session } = exchange;
    const revision =
      claim === undefined
        ? session && revisionNamed(session.version)
        : selectRevision(claim, method, params, undefined, server.serverInfo.versions);
    // A notification without a revision, or that its revision does not have, is ignored.
    if (!revision || !isInRevision(exchange.row, revision)) return undefined;
    const ctx = new RequestContext('', method, params, revision.callerOf(params, session), exchange, revision, server);
    const result = runMiddleware(server.middleware, ctx as unknown as MiddlewareContext, () => {
      if (session) revision.notifications.get(method)?.(params, session);
      return server.notificationHandler(method)?.(ctx as never);
    });
    return isPromise(result) ? result.then(() => undefined, report) : undefined;
  } catch (error) {
    report(error);
  }
}

function paramsOf({ params = {} }: Request | Notification): Params {
  if (!isObject(params)) throw RpcError.invalidParams('"params" must be an object');
  return params;
}

function checkScopes(server: ServerInternals, request: Request, { principal }: Exchange, caller: Caller): void {
  const missing = missingScopes(server, request, { principal, capabilities: caller.capabilities });
  if (missing) throw insufficientScope(missing, principal);
}

function isInRevision(row: MethodRow | undefined, { features }: Revision): boolean {
  return row === undefined || row.revisions.includes(features.version);
}

// Returns the handler of a method: a registered one, else the one of the revision. Undefined if the method does not exist.
function handlerOf(server: ServerInternals, ctx: RequestContext): Handler | undefined {
  if (!isInRevision(ctx.row, ctx.wire)) return undefined;
  const handler = server.handler(ctx.method);
  if (handler) return handler;
  const method = ctx.wire.methods.get(ctx.method);
  return method && ((call: RequestContext) => method(call, server.serverInfo));
}

function run(ctx: RequestContext, handler: Handler | undefined): unknown {
  if (!handler) throw RpcError.methodNotFound(ctx.method);
  return handler(ctx as never);
}

/** Runs all middleware and the handler. Errors of middleware are treated like errors of the handler. */
function throughMiddleware(ctx: RequestContext, handler: Handler | undefined): MaybePromise<unknown> {
  const { middleware } = ctx.server;
  const throwNoResult = (index: number): never => {
    const { name } = middleware[index] ?? {};
    const which = name ? `Middleware ${index + 1} ("${printable(name, 64)}")` : `Middleware ${index + 1}`;
    throw new WrongReturn(
      `${which} returned nothing for ${printable(ctx.method, 128)}: return await next(), or a result`,
    );
  };
  // A handler of `setHandler` may return undefined, which means `{}`. Middleware that returns undefined forgot to return the
  // result of `next`, which is an error.
  const callHandler = (): unknown => thenMaybe(run(ctx, handler), (value) => (value === undefined ? {} : value));
  const finish = (value: unknown): unknown => (value === undefined ? throwNoResult(0) : value);
  const fail = (error: unknown): MaybePromise<unknown> => {
    ctx.entry ??= entryOf(ctx);
    if (ctx.method !== 'tools/call' || error instanceof WrongReturn) throw error;
    return toolFailure(error, ctx);
  };
  try {
    // Params of unknown methods are passed to middleware unchecked.
    if (handler) checkShape(ctx.method, ctx.params);
    const result = runMiddleware(middleware, ctx as unknown as MiddlewareContext, callHandler, throwNoResult);
    return isPromise(result) ? Promise.resolve(result).then(finish).catch(fail) : finish(result);
  } catch (error) {
    return fail(error);
  }
}

// Looks up the entry that the request names, if middleware threw before the handler did so: the entry's option `errors` decides
// whether the client gets the error's message.
function entryOf(ctx: RequestContext): Entry | undefined {
  const { registries, resourceAt } = ctx.server;
  const { name, uri } = ctx.params;
  if (ctx.method === 'tools/call') return typeof name === 'string' ? registries.tools.get(name, ctx) : undefined;
  if (ctx.method === 'prompts/get') return typeof name === 'string' ? registries.prompts.get(name, ctx) : undefined;
  return ctx.method === 'resources/read' && typeof uri === 'string' ? resourceAt(uri, ctx) : undefined;
}

// A handler that exceeds `limits.handlerMs` is aborted, and its request gets an error.
function withinTime(ctx: RequestContext, running: Promise<unknown>): Promise<unknown> {
  const { handlerMs } = ctx.server.limits;
  if (!Number.isFinite(handlerMs) || ctx.row?.isLongLived) return running;
  return withTimeout(running, handlerMs, () => {
    const timeout = RpcError.internal(`The request took more than ${handlerMs} ms`);
    ctx.exchange.keepRunning(running);
    ctx.abortRun(timeout);
    throw timeout;
  });
}

function respond(ctx: RequestContext, value: unknown): Response {
  try {
    return { jsonrpc: '2.0', id: ctx.id, result: encodeResult(ctx, value) };
  } catch (error) {
    return refuse(ctx, error);
  }
}

function refuse(ctx: RequestContext, error: unknown): Response {
  return { jsonrpc: '2.0', id: ctx.id, ...encodeError(ctx, error) };
}

/** Encodes a handler's return value as a result of the request's revision. Throws if it is no result of the method. */
export function encodeResult(ctx: RequestContext, value: unknown): object {
  const { row, wire, encodingHints, server } = ctx;
  const { serverInfo, extensions } = server;
  if (value instanceof EncodedJson) return value;
  if (value instanceof InputRequiredResult)
    return wire.encodeResult(row, value.result, { resultType: 'input_required' }, serverInfo);
  if (value instanceof ExtensionResult) {
    extensions.checkResult(value, ctx);
    return wire.encodeResult(row, plainResult(value.result), { resultType: value.resultType }, serverInfo);
  }
  const result = value === undefined ? {} : isObject(value) ? plainResult(value) : value;
  const member = row?.result;
  // The value may come from middleware, which can return anything.
  if (!isObject(result) || (member !== undefined && !isObject(result[member]) && !Array.isArray(result[member]))) {
    throw new WrongReturn(`The result of ${ctx.method} is not ${member ? `an object with "${member}"` : 'an object'}`);
  }
  const whole = extensions.addsMeta ? extensions.withMeta(result, ctx) : result;
  return wire.encodeResult(row, whole, encodingHints, serverInfo);
}
