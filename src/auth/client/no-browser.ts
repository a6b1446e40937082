/** System browser for runtimes that cannot start a browser or listen for its callback. */

import { AuthError } from '../errors.ts';
import type { Browser, SystemBrowserOptions } from './browser.ts';

/** Always throws an `AuthError`. */
export function systemBrowser(_options?: SystemBrowserOptions): Browser {
  throw unavailable();
}

/** Always rejects with an `AuthError`. */
export async function openBrowser(_url: URL): Promise<boolean> {
  throw unavailable();
}

function unavailable(): AuthError {
  const text =
    'No browser can be opened here, and no callback received: pass `authorize`, which takes a person to a URL and ' +
    'resolves with the one they are sent back to, and `redirectUri`, where that is';
  return new AuthError('browser_unavailable', text);
}
