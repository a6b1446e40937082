/** Calls that fail with -32042 until the user has completed URL elicitations (revision 2025-11-25). */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Notification } from '../jsonrpc/message.ts';
import { McpErrorCode } from '../protocol/errors.ts';
import type { ElicitUrlParams } from '../protocol/model/elicitation.ts';

/** A URL elicitation. `notifications/elicitation/complete` has the same `elicitationId`. */
export type UrlElicitation = ElicitUrlParams & { readonly elicitationId: string };

const MAX_PAGES = 20;

/** Returns the URL elicitations of a -32042 error. Undefined for other errors, malformed data or more than 20 of them. */
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

/** Waits for `notifications/elicitation/complete`. */
export class Completions {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Handles a notification. Returns true if it completes an elicitation that a call waits for. */
  take({ method, params }: Notification): boolean {
    if (method !== 'notifications/elicitation/complete') return false;
    const id = isObject(params) ? params['elicitationId'] : undefined;
    const waiting = typeof id === 'string' ? this.#waiting.get(id) : undefined;
    for (const resolve of waiting ?? []) resolve();
    return waiting !== undefined;
  }

  /** Waits for all elicitations. Must be called before `onElicit`, because one can be complete before `onElicit` returns. */
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
