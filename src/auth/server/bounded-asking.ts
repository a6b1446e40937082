/** Keeps what an authorization server is asked within bounds, whatever callers send. */

import { monotonicNow } from '../../timing/monotonic-now.ts';
import { SingleFlight } from '../../timing/single-flight.ts';
import { AuthError } from '../errors.ts';
import { COOLDOWN_MS } from './cooldown.ts';
import { unavailable } from './discovery.ts';
import type { OnError } from './report.ts';

/** Asks about a token; rejects if there is no answer, and has reported why. */
export type AskAbout<T> = (token: string) => Promise<T>;

/** What `boundedAsking` needs beside the way to ask. */
export interface BoundedAskingOptions {
  readonly issuer: string;
  readonly report: OnError;
  /** A token that no caller has chosen to do harm: one that was good, or one that nobody knows. */
  readonly controlToken: () => string;
}

const MAX_ASKING = 100;
const MAX_FAILED = 3;

/**
 * The same, once for callers that ask about one token at the same time, and not about too many at once. While the
 * authorization server is out of order it is not asked, and the last error comes again.
 *
 * Some authorization servers fail for certain tokens, which a caller could send to shut out the others. So when several
 * tokens in a row failed, a token that does not come from these callers decides whether there is a pause.
 */
export function boundedAsking<T>(ask: AskAbout<T>, options: BoundedAskingOptions): AskAbout<T> {
  const { issuer, report, controlToken } = options;
  const asking = new SingleFlight<T>();
  /** Tokens since the last answer. */
  const failed = new Set<string>();
  let isChecking = false;
  let pause: { readonly error: unknown; readonly until: number } | undefined;

  const check = async (): Promise<void> => {
    isChecking = true;
    try {
      await ask(controlToken());
    } catch (error) {
      if (isOutage(error)) pause = { error, until: monotonicNow() + COOLDOWN_MS };
    } finally {
      failed.clear();
      isChecking = false;
    }
  };

  const begin = async (token: string): Promise<T> => {
    try {
      const answer = await ask(token);
      failed.clear();
      return answer;
    } catch (error) {
      if (isOutage(error) && !isChecking) failed.add(token);
      // Not waited for: it may take as long as the requests that failed.
      if (failed.size >= MAX_FAILED && !isChecking) void check();
      throw error;
    }
  };

  return async (token) => {
    const running = asking.get(token);
    if (running) return running;
    if (pause && monotonicNow() < pause.until) throw pause.error;
    if (asking.size >= MAX_ASKING) {
      const error = unavailable(
        `The authorization server ${issuer} is being asked about ${MAX_ASKING} tokens already`,
        [],
      );
      report(error);
      throw error;
    }
    return asking.run(token, () => begin(token));
  };
}

function isOutage(error: unknown): boolean {
  return error instanceof AuthError && error.isRetryable;
}
