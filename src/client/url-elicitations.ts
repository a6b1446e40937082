/** Calls that fail until the person has been to some pages: error -32042 of revision 2025-11-25. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Notification } from '../jsonrpc/message.ts';
import { McpErrorCode } from '../protocol/errors.ts';
import type { ElicitUrlParams } from '../protocol/model/elicitation.ts';

/** A page to be visited, with the id by which the server tells that it was. */
export type UrlElicitation = ElicitUrlParams & { readonly elicitationId: string };

const MAX_PAGES = 20;

/** The pages an error asks for; undefined if it is another error, or says nothing that can be used. */
export function elicitationsIn(error: unknown): readonly UrlElicitation[] | undefined {
  if (!(error instanceof RpcError) || error.code !== McpErrorCode.UrlElicitationRequired) return undefined;
  const elicitations = isObject(error.data) ? error.data['elicitations'] : undefined;
  if (!Array.isArray(elicitations) || elicitations.length === 0 || elicitations.length > MAX_PAGES) return undefined;
  return elicitations.every(isUrlElicitation) ? elicitations : undefined;
}

function isUrlElicitation(value: unknown): value is UrlElicitation {
  if (!isObject(value)) return false;
  const { mode, message, url, elicitationId } = value;
  return mode === 'url' && [message, url, elicitationId].every((one) => typeof one === 'string');
}

/** Hears which pages have been visited. */
export class Completions {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** True if the notification was one of ours. Unknown ids are none of our business. */
  take({ method, params }: Notification): boolean {
    if (method !== 'notifications/elicitation/complete') return false;
    const id = isObject(params) ? params['elicitationId'] : undefined;
    const waiting = typeof id === 'string' ? this.#waiting.get(id) : undefined;
    for (const resolve of waiting ?? []) resolve();
    return waiting !== undefined;
  }

  /** Waits for all of them. To be called before anybody is asked, since a page may be done before the asking is. */
  expect(elicitations: readonly UrlElicitation[]): { readonly done: Promise<void>; forget(): void } {
    const forgotten: (() => void)[] = [];
    const each = elicitations.map(
      ({ elicitationId }) =>
        new Promise<void>((resolve) => {
          const waiting = this.#waiting.get(elicitationId) ?? new Set();
          this.#waiting.set(elicitationId, waiting.add(resolve));
          forgotten.push(() => {
            waiting.delete(resolve);
            if (waiting.size === 0) this.#waiting.delete(elicitationId);
          });
        }),
    );
    const forget = (): void => {
      for (const one of forgotten) one();
    };
    return { done: Promise.all(each).then(() => {}), forget };
  }
}
