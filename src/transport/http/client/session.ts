/** What a session over HTTP is known by, and which headers messages have because of it. */

import { isErrorResponse, isObject, type Request, type Response } from '../../../jsonrpc/message.ts';

// Revisions that were agreed on before the header was there.
const WITHOUT_VERSION_HEADER: ReadonlySet<string> = new Set(['2024-11-05', '2025-03-26']);

/** One session: opened by `initialize`, known by an id if the server gives one. */
export class HttpSession {
  #request: Request | undefined;
  #offered: string | undefined;
  #id: string | undefined;
  #version: string | undefined;

  /** The id the server gave it. */
  get id(): string | undefined {
    return this.#id;
  }

  /** True once `initialize` was answered. */
  get isOpen(): boolean {
    return this.#version !== undefined;
  }

  /** `initialize` is being sent: what was known is void. */
  begin(request: Request): void {
    this.#request = request;
    this.#offered = this.#id = this.#version = undefined;
  }

  /** The response to `initialize` begins, with this header. */
  offer(id: string | undefined): void {
    this.#offered = id;
  }

  /** Learns from the answer to `initialize`, if that is what it is. */
  take(response: Response): void {
    if (response.id !== this.#request?.id) return;
    this.#request = undefined;
    if (isErrorResponse(response) || !isObject(response.result)) return;
    const { protocolVersion } = response.result;
    this.#version = typeof protocolVersion === 'string' ? protocolVersion : '';
    this.#id = this.#offered;
  }

  /** The headers of every request in the session. */
  addHeaders(headers: Record<string, string>): void {
    if (this.#id !== undefined) headers['mcp-session-id'] = this.#id;
    const version = this.#version;
    if (version && !WITHOUT_VERSION_HEADER.has(version)) headers['mcp-protocol-version'] = version;
  }
}
