/** `mcpp/client`: connects to servers. */

import { type Command, nameOf } from '../client/command.ts';
import { type ConnectOptions, checkConnectOptions } from '../client/connect-options.ts';
import { Connection } from '../client/connection.ts';
import { Core } from '../client/core.ts';
import { type Dialer, type DialHost, dialerOf } from '../client/dialer.ts';
import { type Authorizer, type ClientAuth, checkedHttpOptions, nameOfUrl, serverUrl } from '../client/http-options.ts';
import type { ClientMiddleware } from '../client/middleware.ts';
import { DEFAULT_INFO } from '../client/options.ts';
import type { RequestHandler } from '../client/questions.ts';
import type { ServerProfile } from '../client/server-profile.ts';
import type { ToolsAt } from '../client/tool-types.ts';
import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import type { HttpTransportOptions } from '../transport/http/client/transport.ts';

export type { AnswerHandlers, QuestionContext } from '../client/answering.ts';
export type { ChildOptions, Command, Invocation, StderrSink } from '../client/command.ts';
export type { ConnectOptions } from '../client/connect-options.ts';
export type { Connection } from '../client/connection.ts';
export type {
  ClientExtension,
  ClientHooks,
  ExtensionCall,
  ExtensionConnection,
  RawResult,
  ResultResolver,
  Subscription,
} from '../client/extension.ts';
export type {
  Authorizer,
  AuthRequest,
  AuthResponse,
  ClientAuth,
  HeaderFields,
  HttpChallenge,
  HttpClientOptions,
  ProtectedServer,
  ReconnectOptions,
} from '../client/http-options.ts';
export type { ClientCall, ClientMiddleware } from '../client/middleware.ts';
export type { ConnectionOptions } from '../client/options.ts';
export { IncompleteListError, type IncompleteListErrorCode } from '../client/pages.ts';
export type { RequestHandler } from '../client/questions.ts';
export type { Progress, RequestOptions } from '../client/request-options.ts';
export type { CallState, PendingCall } from '../client/rounds.ts';
export type { ServerProfile } from '../client/server-profile.ts';
export type { ConnectionState, StateListener } from '../client/state.ts';
export type { RestartOptions } from '../client/supervision.ts';
export type { ToolChange, ToolPinningOptions } from '../client/tool-book.ts';
export { toolDigest } from '../client/tool-digest.ts';
export type {
  OutputOf,
  ToolArguments,
  ToolCallResult,
  ToolFailure,
  ToolName,
  ToolSuccess,
  ToolsAt,
  ToolsOf,
} from '../client/tool-types.ts';
export type { WatchEvent, WatchListener } from '../client/watching.ts';
export { ConnectionError, isMcpError, RpcError } from '../jsonrpc/errors.ts';

/** A server that can be connected to within this process, such as `McpServer`. */
export interface InProcess {
  /** Serves a new connection and returns the transport for its client. */
  connectInProcess(): Promise<Transport>;
}

/** Where to connect: a URL, a program to start, a server in this process, or a custom transport. */
export type Target = string | URL | Command | InProcess | Transport;

/** A client: its info, default options, middleware and request handlers. Opens any number of connections. */
export class Client {
  readonly #options: ConnectOptions;
  readonly #middleware: ClientMiddleware[] = [];
  readonly #own = new Map<string, RequestHandler>();
  readonly #verdicts = new Map<string, ServerProfile>();

  /** `options` apply to every connection. The options of `connect` override them. */
  constructor(info: Implementation, options: ConnectOptions = {}) {
    checkConnectOptions('Client', options);
    this.#options = { ...options, info };
  }

  /** Adds middleware around every request and notification, in both directions. The first one added is the outermost. */
  use(middleware: ClientMiddleware): this {
    if (typeof middleware !== 'function') throw new TypeError('use needs a function, (call, next) => next()');
    this.#middleware.push(middleware);
    return this;
  }

  /** Sets the handler for server requests that are not part of the protocol. 2026-07-28 and later have no server requests. */
  setHandler(method: string, handler: RequestHandler): this {
    this.#own.set(method, handler);
    return this;
  }

  /** Connects to a server. `Server` is the server's type or an interface of its tools. Default: the type of `target`. */
  async connect<Server = unknown, At extends Target = Target>(
    target: At,
    options: ConnectOptions = {},
  ): Promise<Connection<ToolsAt<Server, At>>> {
    checkConnectOptions('connect', options);
    checkRestart(target, options);
    const all = { ...this.#options, ...options };
    const parts = { middleware: this.#middleware, own: this.#own, verdicts: this.#verdicts };
    return new Connection(await Core.open(dialerTo(target, all), all, parts));
  }
}

/** Connects to a server of any revision. `Server` is the server's type or an interface of its tools. Default: from `target`. */
export async function connect<Server = unknown, At extends Target = Target>(
  target: At,
  options: ConnectOptions = {},
): Promise<Connection<ToolsAt<Server, At>>> {
  return new Client(options?.info ?? DEFAULT_INFO).connect<Server, At>(target, options);
}

// Checks the options of one connection only: `restart` in the options of a `Client` can be for its other connections.
function checkRestart(target: Target, { restart }: ConnectOptions): void {
  if (!restart || (typeof target !== 'string' && !(target instanceof URL))) return;
  throw new TypeError(
    'connect: "restart" is for programs, as in connect({ command, args }, { restart: true }). A server at a URL is not ' +
      'started by its client; lost streams are opened again, see "reconnect"',
  );
}

function dialerTo(target: Target, options: ConnectOptions): Dialer {
  if (typeof target === 'string' || target instanceof URL) return dialerToUrl(serverUrl(target), options);
  if (typeof target === 'object' && target !== null) {
    if ('command' in target) return dialerToCommand(target, options);
    if ('connectInProcess' in target) return dialerInProcess(target);
    if ('send' in target) return dialerOf(target);
    if ('url' in target) throw new TypeError('connect takes the URL itself, as in connect(target.url), not { url }');
  }
  throw new TypeError('connect needs a URL, { command, args }, a server of this process or a transport');
}

function dialerToUrl(url: URL, given: ConnectOptions): Dialer {
  const { auth, ...options } = checkedHttpOptions(given);
  let authorize: Authorizer | undefined;
  const optionsFor = (host: DialHost): HttpTransportOptions => {
    authorize ??= auth?.authorizer({ url, ...host });
    return { ...options, authorize };
  };
  return {
    name: nameOfUrl(url),
    key: auth ? `${url.href} ${numberOf(auth)}` : url.href,
    isRepeatable: true,
    isHttp: true,
    // Loaded on demand: clients of server processes do not need HTTP.
    async dial(host) {
      const { httpTransport } = await import('../transport/http/client/transport.ts');
      return httpTransport(url, optionsFor(host));
    },
    async dialOld(host) {
      const { oldHttpTransport } = await import('../transport/http/client/old-transport.ts');
      return oldHttpTransport(url, optionsFor(host));
    },
  };
}

const numbers = new WeakMap<ClientAuth, number>();
let lastNumber = 0;

// Server profiles are cached per `auth`, because a server can behave differently for another principal.
function numberOf(auth: ClientAuth): number {
  const number = numbers.get(auth) ?? ++lastNumber;
  numbers.set(auth, number);
  return number;
}

function dialerInProcess(server: InProcess): Dialer {
  return {
    name: 'the server in this process',
    key: undefined,
    isRepeatable: true,
    isHttp: false,
    dial: () => server.connectInProcess(),
  };
}

function dialerToCommand(target: Command, options: ConnectOptions): Dialer {
  const { command, args = [], cwd } = target;
  return {
    name: `"${nameOf(target)}"`,
    key: JSON.stringify([command, args, cwd]),
    isRepeatable: true,
    isHttp: false,
    // Loaded on demand: clients that start no process need none of Node's modules.
    async dial() {
      const { childTransport } = await import('#child-transport').catch((error: unknown) => {
        throw notLoaded(target, error);
      });
      return childTransport(target, options);
    },
  };
}

// Loading fails without free file descriptors, for instance. Node does not retry an import that has failed.
function notLoaded(target: Command, cause: unknown): ConnectionError {
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
  const text = `the module that starts programs could not be loaded${code}. Restart this process, with more file descriptors if they ran out`;
  return new ConnectionError('spawn-failed', `Cannot start the server "${nameOf(target)}": ${text}`, { cause });
}
