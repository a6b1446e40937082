/** A call that was answered with a result of an extension's type: the extension sees it through to its result. */

import { anySignal } from '../timing/abort-signals.ts';
import type { ExtensionCall, ExtensionConnection, ResultResolver } from './extension.ts';
import { until } from './until.ts';

/** What finishing a call needs. */
export interface Finishing {
  readonly finisher: ResultResolver;
  readonly call: Omit<ExtensionCall, 'signal'>;
  readonly peer: ExtensionConnection;
  /** Milliseconds it may take; `Infinity` if nobody set a limit. */
  readonly timeout: number;
  /** Aborts when the connection is over for good. A server that comes back is no reason to give up. */
  readonly over: AbortSignal;
}

/**
 * What the extension gives in the end. Rejects at once if the caller gives up, the time is over or the connection is
 * closed, whether or not the extension minds; it is told by the signal and may still clean up.
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
