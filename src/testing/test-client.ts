/** `testClient`: an in-process client for tests, on any revision, with scripted input responses and recorded messages. */

import { type Connection, type ConnectionOptions, connect, type ToolsAt } from '../entries/client.ts';
import {
  type ClientCapabilities,
  type InputRequest,
  type InputResponse,
  LATEST_VERSION,
  type Principal,
  type ProtocolVersion,
  type Transport,
} from '../entries/mcpp.ts';
import { record, type WireEntry } from './recorder.ts';

/** Input responses to a server's input requests: in the order of the list, or as a function returns them. */
export type Script =
  | readonly (InputResponse | ((question: InputRequest) => InputResponse | Promise<InputResponse>))[]
  | ((question: InputRequest) => InputResponse | Promise<InputResponse>);

/** Options of `testClient`. */
export interface TestClientOptions
  extends Omit<ConnectionOptions, 'onElicit' | 'onSample' | 'onListRoots' | 'revision'> {
  /** Protocol revision of the connection. Default: the latest. */
  readonly revision?: ProtocolVersion;
  /** Authenticated principal of the client. Default: none. */
  readonly principal?: Principal;
  /** Capabilities that the client declares. Default: elicitation, sampling and roots if `inputResponses` is set, else none. */
  readonly capabilities?: ClientCapabilities;
  /** Responses to the server's input requests, used in order. Default: none. */
  readonly inputResponses?: Script;
  /** If true, handlers run again after each input response on every revision, to find side effects outside of `ctx.step`. */
  readonly reruns?: boolean;
}

/** A server that can be tested, such as `McpServer`. */
export interface Testable {
  /** Serves a new connection and returns the transport for its client. */
  connectInProcess(options?: { principal?: Principal; forceReruns?: boolean }): Promise<Transport>;
}

/** A connection of a test. `wire` has all messages that were sent and received. */
export type TestClient<Tools = unknown> = Connection<Tools> & { readonly wire: readonly WireEntry[] };

/** Connects to a server in this process. `Server` is its type or an interface of its tools. Default: the type of `server`. */
export async function testClient<Server = unknown, At extends Testable = Testable>(
  server: At,
  options: TestClientOptions = {},
): Promise<TestClient<ToolsAt<Server, At>>> {
  const { principal, inputResponses: answers, reruns = false, revision = LATEST_VERSION, ...rest } = options;
  const transport = await server.connectInProcess({ ...(principal ? { principal } : {}), forceReruns: reruns });
  const wire: WireEntry[] = [];
  const handlers = answers === undefined ? {} : handlersOf(answers);
  const client = await connect<unknown>(record(transport, wire), { ...rest, revision, ...handlers });
  return Object.assign(client as Connection<never> as Connection<ToolsAt<Server, At>>, { wire });
}

function handlersOf(script: Script): Pick<ConnectionOptions, 'onElicit' | 'onSample' | 'onListRoots'> {
  const remaining = typeof script === 'function' ? undefined : [...script];
  const next = async (question: InputRequest): Promise<InputResponse> => {
    if (typeof script === 'function') return script(question);
    const answer = remaining?.shift();
    if (answer === undefined)
      throw new Error(`The server asked ${question.method}, and no answer is left in the script`);
    return typeof answer === 'function' ? answer(question) : answer;
  };
  return {
    onElicit: (params) => next({ method: 'elicitation/create', params }) as never,
    onSample: (params) => next({ method: 'sampling/createMessage', params }) as never,
    onListRoots: () => next({ method: 'roots/list' }) as never,
  };
}
