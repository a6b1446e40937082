/** A server at a URL: how its user names it, and what can be chosen of how it is spoken to. */

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** How streams are opened again after they broke. */
export interface ReconnectOptions {
  /** The most milliseconds that doubling leads to; it begins with a second. Default: 30 s. */
  readonly maxDelayMs?: number;
  /** How many tries in a row may fail. Default: 5. */
  readonly maxTries?: number;
}

/** Options of a server at a URL. */
export interface HttpClientOptions {
  /** Header fields of every request, or a function that is asked for them each time. They never go to another origin. */
  readonly headers?: HeaderFields | (() => HeaderFields | Promise<HeaderFields>);
  /** Sends the requests, in place of what the runtime has for that. */
  readonly fetch?: typeof fetch;
  /** Bytes one answer may have. Default: 16 MiB. */
  readonly maxResponseBytes?: number;
  /** Bytes one event of a stream may have, counted as characters. Default: 4 MiB. */
  readonly maxEventBytes?: number;
  /** How streams are opened again after they broke. */
  readonly reconnect?: ReconnectOptions;
}

/** A request was not let in. */
export interface HttpChallenge {
  readonly status: 401 | 403;
  /** The URL that was asked. */
  readonly url: URL;
  /** A header field of the response, by its name in lower case. */
  header(name: string): string | undefined;
}

/** Says what lets requests in, and learns when it did not. */
export interface Authorizer {
  /** Header fields for a request to this URL; asked for every request. */
  headers(url: URL): HeaderFields | Promise<HeaderFields>;
  /** A request was not let in. True if it is worth sending it again, with what `headers` gives then. */
  challenged(challenge: HttpChallenge): boolean | Promise<boolean>;
}

/** The URL that was meant; a TypeError that says what is expected if it is none a server can be spoken to at. */
export function serverUrl(target: string | URL): URL {
  const url = URL.canParse(String(target)) ? new URL(target) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new TypeError(adviceFor(url?.protocol));
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('connect needs a URL without a user name or password: put them into the option "headers"');
  }
  url.hash = '';
  return url;
}

/** Names a server in errors: without its query, which may hold secrets. */
export function nameOfUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function adviceFor(protocol: string | undefined): string {
  if (protocol === 'ws:' || protocol === 'wss:') return `connect cannot use a ${protocol} URL: mcpp/websocket can`;
  const example = 'such as "http://localhost:3000/mcp"';
  const given = protocol === undefined ? 'the text is no URL' : `this one begins with "${protocol.slice(0, 32)}"`;
  return `connect needs an http: or https: URL, ${example}; ${given}. For a program give { command, args }`;
}
