/** Resolves a result with an extension's `resultType` to the final result of the call. */

import { anySignal } from '../timing/abort-signals.ts';
import type { ExtensionCall, ExtensionConnection, ResultResolver } from './extension.ts';
import { until } from './until.ts';

export interface Finishing {
  readonly finisher: ResultResolver;
  readonly call: Omit<ExtensionCall, 'signal'>;
  readonly peer: ExtensionConnection;
  /** Milliseconds until the call fails. `Infinity`: no timeout. */
  readonly timeout: number;
  /** Aborts when the connection ends and will not reconnect. A reconnect does not abort the call. */
  readonly over: AbortSignal;
}

/**
 * Returns the result of the extension's resolver. Rejects at once when the caller aborts, the timeout expires or the connection
 * is closed. The resolver's signal then aborts, so that the resolver can clean up.
 */
export async function finish(result: Readonly<Record<string, unknown>>, finishing: Finishing): Promise<unknown> {
  const { finisher, call, peer, timeout, over } = finishing;
  const { label: what, options } = call;
  const giveUp = new AbortController();
  const { signal, release } = anySignal([giveUp.signal, over, options.signal]);
  const finished = (async () => finisher(result, { ...call, signal }, peer))();
  try {
    return await until(finished, { what, timeout, signals: [over, options.signal] });
  } catch (error) {
    giveUp.abort(error);
    throw error;
  } finally {
    release();
  }
}
