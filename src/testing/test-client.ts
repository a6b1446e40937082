/** A client for tests: in process, in one line, for any revision, with a script of answers and a record of the wire. */

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

/** Answers to the questions of a server: in this order, or as a function sees fit. */
export type Script =
  | readonly (InputResponse | ((question: InputRequest) => InputResponse | Promise<InputResponse>))[]
  | ((question: InputRequest) => InputResponse | Promise<InputResponse>);

/** Options of `testClient`; none is needed. */
export interface TestClientOptions
  extends Omit<ConnectionOptions, 'onElicit' | 'onSample' | 'onListRoots' | 'revision'> {
  /** The protocol revision to speak. Default: the newest. */
  readonly revision?: ProtocolVersion;
  /** Who the server is to take the client for. */
  readonly principal?: Principal;
  /** What the client declares. Default: everything, if there are answers; otherwise nothing. */
  readonly capabilities?: ClientCapabilities;
  /** What to answer when asked. */
  readonly inputResponses?: Script;
  /** Runs handlers again after each answer on every revision: finds side effects that are not in a `ctx.step`. */
  readonly reruns?: boolean;
}

/** A server that can be tested: `McpServer` is one. */
export interface Testable {
  /** The client's end of a new connection. */
  connectInProcess(options?: { principal?: Principal; forceReruns?: boolean }): Promise<Transport>;
}

/** A connected client, and everything that went over the wire. */
export type TestClient<Tools = unknown> = Connection<Tools> & { readonly wire: readonly WireEntry[] };

/** Connects to a server within this process. `Server` is its type, or an interface of its tools. Default: the type of `server`. */
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
