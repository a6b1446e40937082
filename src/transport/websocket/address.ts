/** Where a client goes, and what it brings along. */

/** Options of `webSocketTransport`. */
export interface WebSocketTransportOptions {
  /**
   * Header fields of the opening request, such as `Authorization`. Browsers cannot send any; on Node the package `ws`
   * can.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The subprotocols that are offered; an empty list for servers that know none. Default: `mcp`. */
  readonly protocols?: readonly string[] | undefined;
  /** Bytes one message of the server's may have. Default: 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
}

/** The same with everything filled in. */
export interface Address {
  readonly url: URL;
  /** How errors name it: without what may be secret. */
  readonly name: string;
  /** Undefined if there are none. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly protocols: readonly string[];
  readonly maxMessageBytes: number;
}

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Checks an address. */
export function addressOf(target: string | URL, options: WebSocketTransportOptions): Address {
  const url = URL.canParse(String(target)) ? new URL(target) : undefined;
  if (url?.protocol !== 'ws:' && url?.protocol !== 'wss:') {
    throw new TypeError('webSocketTransport needs an address that begins with ws:// or wss://');
  }
  // It is for the reader of a page, and no WebSocket takes it.
  url.hash = '';
  const { headers, protocols = ['mcp'], maxMessageBytes = MAX_MESSAGE_BYTES } = options;
  if (!(maxMessageBytes > 0)) throw new TypeError('maxMessageBytes must be a positive number');
  return {
    url,
    name: `${url.protocol}//${url.host}`,
    headers: headers && Object.keys(headers).length > 0 ? headers : undefined,
    protocols,
    maxMessageBytes,
  };
}
