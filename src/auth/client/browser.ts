/** How a person is sent to an authorization server and comes back: what the flow needs, whoever does it. */

/** Takes people to a page and waits for where that sends them. */
export interface Browser {
  /** Gets ready for a visit. `preferred` is a redirect URI that was registered earlier: used again if that is possible. */
  begin(preferred: string | undefined): Promise<BrowserVisit>;
}

/** One visit to an authorization server. */
export interface BrowserVisit {
  /** Where the authorization server has to send the person. */
  readonly redirectUri: string;
  /** Takes a person to this URL, and resolves with the URL they are sent back to, which has this `state`. */
  authorize(url: URL, state: string, signal: AbortSignal): Promise<URL>;
  /** Ends the visit, whatever is still going on. */
  close(): Promise<void>;
}

/** How the browser of this machine is used. */
export interface SystemBrowserOptions {
  /**
   * Where people are sent back to, as it is registered: `http://127.0.0.1:<port>/<path>`, `http://[::1]:<port>/<path>` or
   * `http://localhost:<port>/<path>`. Without a port any free one is taken.
   */
  readonly redirectUri?: string | undefined;
  /**
   * Opens a page; false if that is not possible, and `onFailed` if that turns out later. The system's own way, if nothing
   * else is said.
   */
  readonly open?: ((url: URL, onFailed: () => void) => Promise<boolean>) | undefined;
  /**
   * Told the page to open, once: if no browser could be opened, or nobody came back for 15 seconds. Writes it to stderr, if
   * nothing else is said.
   */
  readonly onUrl?: ((url: URL) => void) | undefined;
}
