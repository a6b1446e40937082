/** Options of servers at a URL, and the interface of client authorization. */

/** HTTP header fields, by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** How interrupted SSE streams are opened again. */
export interface ReconnectOptions {
  /** Maximum delay between attempts in milliseconds. The delay starts at 1000 and doubles. Default: 30 000. */
  readonly maxDelayMs?: number | undefined;
  /**
   * Maximum number of consecutive failed attempts. Then a call whose response stream was interrupted fails. For the GET stream
   * `onError` is called, and attempts continue every `maxDelayMs`. Default: 5.
   */
  readonly maxTries?: number | undefined;
}

/** Options of servers at a URL. */
export interface HttpClientOptions {
  /** Header fields of every request, or a function that is called for each request. They are never sent to another origin. */
  readonly headers?: HeaderFields | Headers | (() => HeaderFields | Promise<HeaderFields>) | undefined;
  /** Authorization: `oauth()` or another function of `mcpp/auth/client`. Default: none. */
  readonly auth?: ClientAuth | undefined;
  /** Function that sends the requests. Default: the HTTP client of the runtime. */
  readonly fetch?: typeof fetch | undefined;
  /** Maximum size of a received JSON body or SSE event in bytes. Larger ones fail with `too-large`. Default: 16 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** How interrupted SSE streams are opened again. */
  readonly reconnect?: ReconnectOptions | undefined;
}

/** Validated HTTP options, with `Headers` converted to an object. */
export interface CheckedHttpOptions {
  readonly headers?: HeaderFields | (() => HeaderFields | Promise<HeaderFields>) | undefined;
}

/** A request that is about to be authorized. */
export interface AuthRequest {
  readonly method: string;
  readonly url: URL;
  /** True if the request belongs to no call, such as the GET stream. The user must not be prompted for it. */
  readonly isBackground?: boolean | undefined;
  /** Aborts when the response is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/** Status and header fields of a response, for the authorizer. */
export interface AuthResponse extends AuthRequest {
  readonly status: number;
  /** Returns a header field of the response. `name` must be in lower case. */
  header(name: string): string | undefined;
  /** The object that `Authorizer.headers` returned for the request. */
  readonly sent: HeaderFields;
}

/** A 401 or 403 response. */
export interface HttpChallenge extends AuthResponse {
  readonly status: 401 | 403;
  /** Number of earlier 401 and 403 responses to the same request. */
  readonly tries: number;
}

/** Authorizes the requests of one connection. */
export interface Authorizer {
  /** Returns header fields such as `Authorization`. Called for every request. */
  headers(request: AuthRequest): HeaderFields | Promise<HeaderFields>;
  /** Handles a 401 or 403 response. Returns true to send the request again, with new header fields from `headers`. */
  onChallenge(challenge: HttpChallenge): boolean | Promise<boolean>;
  /** Called with each response other than 401 and 403. */
  answered?(response: AuthResponse): void;
}

/** The server for which an authorizer is created, with callbacks of the connection. */
export interface ProtectedServer {
  readonly url: URL;
  /** Aborts when the connection is closed and will not reconnect. */
  readonly signal: AbortSignal;
  /** Pauses all timeouts while the user has to act, for instance to sign in, until the returned function is called. */
  pauseTimeouts(): () => void;
  /** Must be called after a sign-in, because cached data can belong to another user. */
  onSignIn(): void;
}

/** Authorization of a client, created by `oauth()` or another function of `mcpp/auth/client`. */
export interface ClientAuth {
  /** Creates the authorizer of one connection. */
  authorizer(server: ProtectedServer): Authorizer;
}

/** Returns the URL without fragment. Throws a TypeError if it is not an http or https URL, or has credentials. */
export function serverUrl(target: string | URL): URL {
  const url = URL.canParse(String(target)) ? new URL(target) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new TypeError(adviceFor(url?.protocol));
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('connect needs a URL without a user name or password: put them into the option "headers"');
  }
  url.hash = '';
  return url;
}

/** Validates the options and converts `headers` to an object. Throws a TypeError that names the first invalid option. */
export function checkedHttpOptions<Options extends HttpClientOptions>(options: Options): Options & CheckedHttpOptions {
  const { maxResponseBytes, reconnect, fetch: send, headers, auth } = options;
  if (reconnect !== undefined && !isRecord(reconnect)) throw new TypeError('The option "reconnect" must be an object');
  const { maxDelayMs, maxTries } = reconnect ?? {};
  const numbers = {
    maxResponseBytes,
    'reconnect.maxDelayMs': maxDelayMs,
    'reconnect.maxTries': maxTries,
  };
  for (const [name, value] of Object.entries(numbers)) {
    const isPositive = typeof value === 'number' && value > 0;
    if (value !== undefined && !isPositive) throw new TypeError(`The option "${name}" must be a number greater than 0`);
  }
  if (send !== undefined && typeof send !== 'function') throw new TypeError('The option "fetch" must be a function');
  if (auth !== undefined && typeof auth?.authorizer !== 'function') {
    throw new TypeError('The option "auth" must be what oauth() or another function of mcpp/auth/client gives');
  }
  return { ...options, headers: typeof headers === 'function' ? headers : headers && fieldsOf(headers) };
}

function fieldsOf(headers: HeaderFields | Headers): HeaderFields {
  const fields = headers instanceof Headers ? Object.fromEntries(headers) : headers;
  const isFine = isRecord(fields) && Object.values(fields).every((value) => typeof value === 'string');
  if (isFine) return fields;
  // Header values are not shown, because they can be secrets.
  throw new TypeError('The option "headers" must be an object of strings, Headers, or a function that gives one');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  const prototype = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined;
  return prototype === Object.prototype || prototype === null;
}

/** Returns a name for error messages: the URL without its query, which can contain secrets. */
export function nameOfUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function adviceFor(protocol: string | undefined): string {
  if (protocol === 'ws:' || protocol === 'wss:') {
    return `connect cannot use a ${protocol} URL: connect(webSocketTransport(url)) can, with webSocketTransport from mcpp/websocket`;
  }
  const example = 'such as "http://localhost:3000/mcp"';
  const given = protocol === undefined ? 'the text is no URL' : `this one begins with "${protocol.slice(0, 32)}"`;
  return `connect needs an http: or https: URL, ${example}; ${given}. For a program give { command, args }`;
}
