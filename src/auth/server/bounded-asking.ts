/** Keeps what an authorization server is asked within bounds, whatever callers send. */

import { COOLDOWN_MS } from './cooldown.ts';
import { unavailable } from './discovery.ts';
import type { OnError } from './report.ts';

/** Asks about a token; rejects if that cannot be done, and has reported why. */
export type AskAbout<T> = (token: string) => Promise<T>;

const MAX_ASKING = 100;
// One token that an authorization server stumbles over must not keep it from being asked about the others.
const MAX_FAILED = 3;

/**
 * The same, once for those who ask about one token at the same time, and not about too many at once. When several tokens
 * in a row could not be asked about it pauses, and the last error comes again meanwhile.
 */
export function boundedAsking<T>(ask: AskAbout<T>, issuer: string, report: OnError): AskAbout<T> {
  const asking = new Map<string, Promise<T>>();
  /** Tokens since the last answer. */
  const failed = new Set<string>();
  let pause: { readonly error: unknown; readonly until: number } | undefined;

  const begin = async (token: string): Promise<T> => {
    try {
      const answer = await ask(token);
      failed.clear();
      return answer;
    } catch (error) {
      failed.add(token);
      if (failed.size >= MAX_FAILED) {
        pause = { error, until: Date.now() + COOLDOWN_MS };
        failed.clear();
      }
      throw error;
    } finally {
      asking.delete(token);
    }
  };

  return async (token) => {
    const running = asking.get(token);
    if (running) return running;
    if (pause && Date.now() < pause.until) throw pause.error;
    if (asking.size >= MAX_ASKING) {
      const error = unavailable(
        `The authorization server ${issuer} is being asked about ${MAX_ASKING} tokens already`,
        [],
      );
      report(error);
      throw error;
    }
    const answer = begin(token);
    asking.set(token, answer);
    return answer;
  };
}
