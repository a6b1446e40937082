/** Adds text to the results of tools with a view, for the model and for clients without views. */

import type { CallToolResult } from '../../entries/mcpp.ts';
import type { Context } from '../../entries/server.ts';
import { isObject } from './words.ts';

type Handler = (args: never, ctx: Context) => unknown;

/** Wraps a handler: results without `content` get the text that `text` returns. A synchronous handler stays synchronous. */
export function withText(handler: Handler, text: (output: never, ctx: Context) => string): Handler {
  const finish = (returned: unknown, ctx: Context): unknown => {
    const output = isObject(returned) && typeof returned['toJSON'] === 'function' ? returned['toJSON']() : returned;
    if (asksFirst(output)) return output;
    const whole: CallToolResult = isResult(output) ? output : { content: [], structuredContent: output };
    if (whole.isError || whole.content.length > 0) return whole;
    return { ...whole, content: [{ type: 'text', text: text(whole.structuredContent as never, ctx) }] };
  };
  return (args, ctx) => {
    const returned = handler(args, ctx);
    return isPromise(returned) ? returned.then((output) => finish(output, ctx)) : finish(returned, ctx);
  };
}

// An output can have its own member `content`. Only `structuredContent` or `isError: true` makes it a `CallToolResult`.
function isResult(value: unknown): value is CallToolResult {
  if (!isObject(value) || !Array.isArray(value['content'])) return false;
  return value['isError'] === true || value['structuredContent'] !== undefined;
}

// Detects the return value of `inputRequired`. Outputs are JSON, so their members are never a `Map`.
function asksFirst(value: unknown): boolean {
  return isObject(value) && value['requests'] instanceof Map;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return isObject(value) && typeof value['then'] === 'function';
}
