/** `Mcp-Param-*` headers: HTTP requests repeat those tool arguments that have `x-mcp-header` in the tool's input schema. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import { printable, quoted } from '../jsonrpc/printable.ts';
import { argumentText, encodeHeaderValue, type ParamHeaders, paramHeaders } from '../protocol/http/http-headers.ts';
import type { Tool } from '../protocol/model/tools.ts';
import type { HeaderFields } from './http-options.ts';
import { CLIENT_LIMITS } from './limits.ts';

/** The `x-mcp-header` declarations of one server's tools, from the most recent definition of each tool. */
export class ArgumentHeaders {
  readonly #tools = new Map<string, ParamHeaders>();
  readonly #warn: (warning: Error) => void;

  constructor(warn: (warning: Error) => void) {
    this.#warn = warn;
  }

  /** Adds the `Mcp-Param-*` headers of a tool call to `own`, the headers from the call options. Unlisted tools have none. */
  of(name: string, args: unknown, own: HeaderFields | undefined): HeaderFields | undefined {
    const known = this.#tools.get(name);
    if (!known || !('headers' in known)) return own;
    const fields: Record<string, string> = { ...own };
    for (const [header, path] of known.headers) {
      const text = argumentText(args, path);
      if (text !== undefined) fields[`mcp-param-${header.toLowerCase()}`] = encodeHeaderValue(text);
    }
    return fields;
  }

  /** Throws `ConnectionError('refused')` if the `x-mcp-header` declarations of the tool are invalid. */
  check(name: string): void {
    const known = this.#tools.get(name);
    if (known && 'fault' in known)
      throw new ConnectionError('refused', `${faultOf(name, known.fault)}: it is not called`);
  }

  /** Stores the `x-mcp-header` declarations of a listed tool. Returns false, and warns once per fault, if they are invalid. */
  take({ name, inputSchema }: Tool): boolean {
    const wanted = paramHeaders(inputSchema);
    const before = this.#tools.get(name);
    if ('headers' in wanted && wanted.headers.size === 0) this.#tools.delete(name);
    else if (before || this.#tools.size < CLIENT_LIMITS.tools) this.#tools.set(name, wanted);
    if ('headers' in wanted) return true;
    const isKnown = before && 'fault' in before && before.fault === wanted.fault;
    if (!isKnown) this.#warn(new Error(`${faultOf(name, wanted.fault)}: it is left out`));
    return false;
  }
}

function faultOf(name: string, fault: string): string {
  return `The inputSchema of tool ${quoted(name)} is invalid (${printable(fault)})`;
}
