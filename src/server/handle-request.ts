/** Handles requests and notifications of all transports: selects a revision, checks scopes, runs handlers, encodes results. */

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
import { revisionNamed, selectRevision } from '../protocol/revision-of-message.ts';
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

/** Revision and caller of a request whose scopes the transport has checked already. */
export interface RequestAdmission {
  readonly revision: Revision;
  readonly caller: Caller;
}

/**
 * Handles a request. Returns the response, synchronously if the handler is synchronous. Never throws or rejects. `claim` is the
 * protocol version in `_meta`. With `admitted`, its revision and caller are used, and scopes are not checked.
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
    checkStrings(row, params);
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
    // `subscriptions/listen` can stay open for days and never requires input. Skipping `runWithInput` saves memory.
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
    // A notification with neither a session nor a version in `_meta`, or with a method that its revision lacks, is ignored.
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

// Handlers that are set on the server take precedence over built-in handlers of the revision.
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

/** Runs the handler inside all middleware. Errors of middleware are treated like errors of the handler. */
function throughMiddleware(ctx: RequestContext, handler: Handler | undefined): MaybePromise<unknown> {
  const { middleware } = ctx.server;
  const throwNoResult = (index: number): never => {
    const { name } = middleware[index] ?? {};
    const which = name ? `Middleware ${index + 1} ("${printable(name, 64)}")` : `Middleware ${index + 1}`;
    throw new WrongReturn(
      `${which} returned nothing for ${printable(ctx.method, 128)}: return await next(), or a result`,
    );
  };
  // Undefined from a handler means `{}`. Undefined from middleware is an error: the result of `next()` was not returned.
  const callHandler = (): unknown => thenMaybe(run(ctx, handler), (value) => (value === undefined ? {} : value));
  const finish = (value: unknown): unknown => (value === undefined ? throwNoResult(0) : value);
  const fail = (error: unknown): MaybePromise<unknown> => {
    ctx.entry ??= entryOf(ctx);
    if (ctx.method !== 'tools/call' || error instanceof WrongReturn) throw error;
    return toolFailure(error, ctx);
  };
  try {
    // Params of methods without a handler are not validated, because middleware can handle these methods itself.
    if (handler) checkShape(ctx.method, ctx.params);
    const result = runMiddleware(middleware, ctx as unknown as MiddlewareContext, callHandler, throwNoResult);
    return isPromise(result) ? Promise.resolve(result).then(finish).catch(fail) : finish(result);
  } catch (error) {
    return fail(error);
  }
}

// Returns the tool, prompt or resource of the request. Its option `errors` also applies to errors of middleware.
function entryOf(ctx: RequestContext): Entry | undefined {
  const { registries, resourceAt } = ctx.server;
  const { name, uri } = ctx.params;
  if (ctx.method === 'tools/call') return typeof name === 'string' ? registries.tools.get(name, ctx) : undefined;
  if (ctx.method === 'prompts/get') return typeof name === 'string' ? registries.prompts.get(name, ctx) : undefined;
  return ctx.method === 'resources/read' && typeof uri === 'string' ? resourceAt(uri, ctx) : undefined;
}

function withinTime(ctx: RequestContext, running: Promise<unknown>): Promise<unknown> {
  const { handlerMs } = ctx.server.limits;
  if (!Number.isFinite(handlerMs) || ctx.row?.isLongLived) return running;
  return withTimeout(running, handlerMs, () => {
    const timeout = RpcError.internal(`The request took more than ${handlerMs} ms`);
    ctx.exchange.keepRunning(running);
    ctx.stop(timeout);
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

/** Encodes a return value of a handler for the request's revision. Throws if the value is not a valid result of the method. */
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
  // The result is checked, because middleware and handlers set with `setHandler` can return any value.
  if (!isObject(result) || (member !== undefined && !isObject(result[member]) && !Array.isArray(result[member]))) {
    throw new WrongReturn(`The result of ${ctx.method} is not ${member ? `an object with "${member}"` : 'an object'}`);
  }
  const whole = extensions.addsMeta ? extensions.withMeta(result, ctx) : result;
  return wire.encodeResult(row, whole, encodingHints, serverInfo);
}
