/** Checks the definition of a tool before a call: changes, pinned digests and `x-mcp-header` declarations. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import { quoted } from '../jsonrpc/printable.ts';
import type { ArgumentHeaders } from './argument-headers.ts';
import { type Call, left } from './call.ts';
import type { Conversation } from './conversation.ts';
import type { ConnectionOptions } from './options.ts';
import { allItems, pageOf, pagesOptions } from './pages.ts';
import type { RequestOptions } from './request-options.ts';
import type { ToolBook } from './tool-book.ts';

export interface VettingHost {
  readonly book: ToolBook;
  readonly mirrored: ArgumentHeaders;
  readonly options: ConnectionOptions;
  request(method: string, params: Params, options: RequestOptions): Promise<Record<string, unknown>>;
}

export class Vetting {
  readonly #host: VettingHost;

  constructor(host: VettingHost) {
    this.#host = host;
  }

  /** Throws if the tool's definition was rejected or is invalid. Lists the tools first if the tool is pinned but unknown. */
  check(call: Call, conversation: Conversation): undefined | Promise<void> {
    if (call.method !== 'tools/call') return undefined;
    const { book, mirrored, options } = this.#host;
    const name = String(call.params['name']);
    refuseChanged(book, name);
    if (conversation.mirrorsArguments) mirrored.check(name);
    const isPinned = options.pinnedTools !== undefined && Object.hasOwn(options.pinnedTools, name);
    return isPinned && !book.get(name) ? this.#lookAt(name, call) : undefined;
  }

  /** Lists all tools within the deadline of the call. `fresh` ignores cached results. */
  async listTools({ options, deadline }: Call, fresh: boolean): Promise<void> {
    const { timeout, signal, headers } = options;
    await allItems(
      'tools/list',
      async (cursor) => {
        const params = cursor === undefined ? {} : { cursor };
        const page = { timeout, signal, headers, fresh, maxTimeout: left(deadline) };
        return pageOf('tools/list', 'tools', await this.#host.request('tools/list', params, page));
      },
      pagesOptions(this.#host.options),
    );
  }

  async #lookAt(name: string, call: Call): Promise<void> {
    const { book } = this.#host;
    await this.listTools(call, false);
    refuseChanged(book, name);
    if (!book.get(name)) throw new ConnectionError('refused', `The pinned tool ${quoted(name)} is not listed any more`);
  }
}

function refuseChanged(book: ToolBook, name: string): void {
  if (!book.isRefused(name)) return;
  throw new ConnectionError('refused', `The definition of tool ${quoted(name)} changed and was refused`);
}
