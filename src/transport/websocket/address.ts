/** Options of WebSocket clients. */

/** Options of `webSocketTransport`. */
export interface WebSocketTransportOptions {
  /** Header fields of the opening handshake, such as `Authorization`. Supported only with the package `ws` on Node. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Subprotocols to offer; an empty list for servers without subprotocols. Default: `['mcp']`. */
  readonly protocols?: readonly string[] | undefined;
  /** Maximum size of a received message, in bytes. Default: 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
}

/** URL and options of a connection, with defaults. */
export interface Address {
  readonly url: URL;
  /** Name of the server in error messages, without path and query, which can hold secrets. */
  readonly name: string;
  /** Undefined if there are no header fields. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly protocols: readonly string[];
  readonly maxMessageBytes: number;
}

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Checks a URL and options, and adds defaults. Throws a `TypeError` if the URL or `maxMessageBytes` is invalid. */
export function addressOf(target: string | URL, options: WebSocketTransportOptions): Address {
  const url = URL.canParse(String(target)) ? new URL(target) : undefined;
  if (url?.protocol !== 'ws:' && url?.protocol !== 'wss:') {
    throw new TypeError('webSocketTransport needs an address that begins with ws:// or wss://');
  }
  // WebSocket implementations refuse URLs with a fragment.
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
