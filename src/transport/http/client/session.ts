/** `HttpSession`: the session id and protocol version of an HTTP session, and its header fields. */

import { isErrorResponse, isObject, type Request, type Response } from '../../../jsonrpc/message.ts';

// Revisions in which clients send no header `MCP-Protocol-Version`.
const WITHOUT_VERSION_HEADER: ReadonlySet<string> = new Set(['2024-11-05', '2025-03-26']);

export class HttpSession {
  #request: Request | undefined;
  #offered: string | undefined;
  #id: string | undefined;
  #version: string | undefined;

  /** Session id that the server assigned; undefined if the server assigned none. */
  get id(): string | undefined {
    return this.#id;
  }

  /** True once the server has answered `initialize` with a result. */
  get isOpen(): boolean {
    return this.#version !== undefined;
  }

  /** Resets the session. Must be called when `initialize` is sent. */
  begin(request: Request): void {
    this.#request = request;
    this.#offered = this.#id = this.#version = undefined;
  }

  /** Stores the `Mcp-Session-Id` of the response to `initialize`. The id applies once `take` has received the result. */
  offer(id: string | undefined): void {
    this.#offered = id;
  }

  /** Opens the session if `response` is the result of `initialize`. */
  take(response: Response): void {
    if (response.id !== this.#request?.id) return;
    this.#request = undefined;
    if (isErrorResponse(response) || !isObject(response.result)) return;
    const { protocolVersion } = response.result;
    this.#version = typeof protocolVersion === 'string' ? protocolVersion : '';
    this.#id = this.#offered;
  }

  /** Adds `Mcp-Session-Id` and `MCP-Protocol-Version`, if the session has them. */
  addHeaders(headers: Record<string, string>): void {
    if (this.#id !== undefined) headers['mcp-session-id'] = this.#id;
    const version = this.#version;
    if (version && !WITHOUT_VERSION_HEADER.has(version)) headers['mcp-protocol-version'] = version;
  }
}
