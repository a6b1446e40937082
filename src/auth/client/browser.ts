/** `Browser`: opens authorization URLs and receives the OAuth callbacks. */

export interface Browser {
  /** Prepares a sign-in. `preferred` is the redirect URI of an earlier registration, which is used again if possible. */
  begin(preferred: string | undefined): Promise<BrowserVisit>;
}

/** One sign-in of the user at an authorization server. */
export interface BrowserVisit {
  readonly redirectUri: string;
  /** Opens the authorization URL for the user, and resolves to the callback URL, which has this `state`. */
  authorize(url: URL, state: string, signal: AbortSignal): Promise<URL>;
  /** Ends the sign-in: a listener for the callback is closed. */
  close(): Promise<void>;
}

/** Options of the system browser. */
export interface SystemBrowserOptions {
  /** Loopback redirect URI. If it has no port, a free one is used. Default: `http://127.0.0.1/callback`. */
  readonly redirectUri?: string | undefined;
  /** Opens a page. Resolves to false if that fails; a later failure calls `onFailed`. Default: the system's browser. */
  readonly open?: ((url: URL, onFailed: () => void) => Promise<boolean>) | undefined;
  /** Called once with the URL to open if no browser opens, or no callback arrives for 15 seconds. Default: writes to stderr. */
  readonly onUrl?: ((url: URL) => void) | undefined;
}
