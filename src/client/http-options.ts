/** A server at a URL: how its user names it, and what can be chosen of how it is spoken to. */

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** How streams are opened again after they broke. */
export interface ReconnectOptions {
  /** The most milliseconds that doubling leads to; it begins with a second. Default: 30 s. */
  readonly maxDelayMs?: number | undefined;
  /**
   * How many tries in a row may fail. Then the rest of an answer is given up; of the stream for what belongs to no call
   * `onError` is told, and it is tried on every `maxDelayMs`. Default: 5.
   */
  readonly maxTries?: number | undefined;
}

/** Options of a server at a URL. */
export interface HttpClientOptions {
  /** Header fields of every request, or a function that is asked for them each time. They never go to another origin. */
  readonly headers?: HeaderFields | Headers | (() => HeaderFields | Promise<HeaderFields>) | undefined;
  /** What lets this client in: `oauth()` and others of `mcpp/auth/client`. */
  readonly auth?: ClientAuth | undefined;
  /** Sends the requests, in place of what the runtime has for that. */
  readonly fetch?: typeof fetch | undefined;
  /** Bytes of one received message, as a JSON body or as an event of a stream; more is `too-large`. Default: 16 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** How streams are opened again after they broke. */
  readonly reconnect?: ReconnectOptions | undefined;
}

/** What is left of them when they were checked. */
export interface CheckedHttpOptions {
  readonly headers?: HeaderFields | (() => HeaderFields | Promise<HeaderFields>) | undefined;
}

/** A request, as far as what lets it in depends on it. */
export interface AuthRequest {
  readonly method: string;
  readonly url: URL;
  /** True for what belongs to no call, such as a stream that stands by itself: nobody is bothered for it. */
  readonly isBackground?: boolean | undefined;
  /** Aborts when nobody waits for this request any more. */
  readonly signal?: AbortSignal | undefined;
}

/** What a response says before its body, to those who look after letting requests in. */
export interface AuthResponse extends AuthRequest {
  readonly status: number;
  /** A header field of the response, by its name in lower case. */
  header(name: string): string | undefined;
  /** What `headers` had given for the request. */
  readonly sent: HeaderFields;
}

/** A request was not let in. */
export interface HttpChallenge extends AuthResponse {
  readonly status: 401 | 403;
  /** How many times this very request was not let in before. */
  readonly tries: number;
}

/** Says what lets requests in, and learns when it did not. */
export interface Authorizer {
  /** Header fields for a request; asked for every request. */
  headers(request: AuthRequest): HeaderFields | Promise<HeaderFields>;
  /** A request was not let in. True if it is worth sending it again, with what `headers` gives then. */
  onChallenge(challenge: HttpChallenge): boolean | Promise<boolean>;
  /** A request was answered otherwise. */
  answered?(response: AuthResponse): void;
}

/** A server that is being connected to, as those see it who look after being let in. */
export interface ProtectedServer {
  readonly url: URL;
  /** Aborts when nobody wants to be let in any more. */
  readonly signal: AbortSignal;
  /** A person has to do something now, and clocks stand still, until the returned function is called. */
  pauseTimeouts(): () => void;
  /** Somebody signed in: what is known from before may be somebody else's. */
  onSignIn(): void;
}

/** What lets a client in: made by the functions of `mcpp/auth/client`. */
export interface ClientAuth {
  /** Looks after the requests of one connection. */
  authorizer(server: ProtectedServer): Authorizer;
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

/** The same options, as every request can use them; a TypeError that names the first that is wrong. */
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
  // What they hold may be secret, so it is not shown.
  throw new TypeError('The option "headers" must be an object of strings, Headers, or a function that gives one');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  const prototype = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined;
  return prototype === Object.prototype || prototype === null;
}

/** Names a server in errors: without its query, which may hold secrets. */
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
