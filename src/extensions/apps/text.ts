/** What the model and text-only clients read of a tool that gives data for a view. */

import type { CallToolResult } from '../../entries/mcpp.ts';
import type { Context } from '../../entries/server.ts';
import { isObject } from './words.ts';

type Handler = (args: never, ctx: Context) => unknown;

/** The handler, with text added to what it returns if there is none. It stays synchronous if it was. */
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

// A tool with an output schema gives a whole result only together with structured content, or with an error.
function isResult(value: unknown): value is CallToolResult {
  if (!isObject(value) || !Array.isArray(value['content'])) return false;
  return value['isError'] === true || value['structuredContent'] !== undefined;
}

// What `inputRequired` makes. No output is mistaken for it, since JSON has no maps.
function asksFirst(value: unknown): boolean {
  return isObject(value) && value['requests'] instanceof Map;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return isObject(value) && typeof value['then'] === 'function';
}
