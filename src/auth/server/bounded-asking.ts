/** Limits the introspection requests that callers can cause. */

import { monotonicNow } from '../../timing/monotonic-now.ts';
import { SingleFlight } from '../../timing/single-flight.ts';
import { AuthError } from '../errors.ts';
import { COOLDOWN_MS } from './cooldown.ts';
import { unavailable } from './discovery.ts';
import type { OnError } from './report.ts';

/** Introspects a token. Rejects, after reporting the reason, if there is no result. */
export type AskAbout<T> = (token: string) => Promise<T>;

export interface BoundedAskingOptions {
  readonly issuer: string;
  readonly report: OnError;
  /** Returns a token that no attacker chose: the last valid one, or a random one. */
  readonly controlToken: () => string;
}

const MAX_ASKING = 100;
const MAX_FAILED = 3;

/**
 * Wraps `ask`: single flight per token, at most 100 tokens at a time, and a pause of 10 seconds in an outage. Some servers fail
 * for certain tokens, with which an attacker could block other callers. So after 3 failed tokens, a control token decides
 * whether there is an outage.
 */
export function boundedAsking<T>(ask: AskAbout<T>, options: BoundedAskingOptions): AskAbout<T> {
  const { issuer, report, controlToken } = options;
  const asking = new SingleFlight<T>();
  /** Tokens that failed since the last successful introspection. */
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
      // Not awaited, because it can take as long as the failed requests.
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
