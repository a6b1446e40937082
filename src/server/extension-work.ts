/** What an extension does for a request of its own. Loaded with the first. */

import { guarded, RpcError } from '../jsonrpc/errors.ts';
import { missingCapability } from '../protocol/errors.ts';
import { isKnownIn } from '../protocol/extension.ts';
import type { Call } from '../protocol/revision.ts';
import type { RequestContext } from './context.ts';
import type { ExtensionHandler, OpenField, ServerExtension, SubscriptionField } from './extension.ts';
import { inProtocol, isDeclared } from './extension-declared.ts';

/** Answers a method of its own. */
export function answerMethod(extension: ServerExtension, method: string, ctx: RequestContext): unknown {
  const native = handlerIn(inProtocol(extension, ctx.revision)?.methods, method);
  if (native) return native(ctx.params, ctx);
  const handler = isKnownIn(extension, ctx.revision) ? handlerIn(extension.server?.methods, method) : undefined;
  if (!handler) throw RpcError.methodNotFound(method);
  if (extension.server?.answers === 'everybody' || isDeclared(extension, ctx)) return handler(ctx.params, ctx);
  // A notification has nobody to be refused to.
  if (method.startsWith('notifications/')) return undefined;
  throw missingCapability(`extensions.${extension.id}`);
}

function handlerIn(
  methods: Readonly<Record<string, ExtensionHandler>> | undefined,
  method: string,
): ExtensionHandler | undefined {
  return methods && Object.hasOwn(methods, method) ? methods[method] : undefined;
}

/** Opens a field of its own in `subscriptions/listen`. */
export async function openField(
  extension: ServerExtension,
  field: SubscriptionField,
  wanted: unknown,
  call: Call,
): Promise<OpenField | undefined> {
  const ctx = call as RequestContext;
  if (extension.server?.answers !== 'everybody' && !isDeclared(extension, ctx)) {
    throw missingCapability(`extensions.${extension.id}`);
  }
  const opened = await field.open(wanted, ctx);
  if (!opened) return undefined;
  const failed = (error: Error): void => ctx.parts.report(error, { method: ctx.method, name: extension.id });
  return {
    honoured: opened.honoured,
    begin(tell) {
      const end = opened.begin(tell);
      // It is called when the request is over, and whoever ended that could do nothing about it.
      return () => guarded(end, failed);
    },
  };
}
