/** `mcpp/client`: connect to a server. */

import { Calls } from '../client/calls.ts';
import { Connection, type ConnectionOptions } from '../client/connection.ts';
import type { Transport } from '../jsonrpc/transport.ts';

export type { AnswerHandlers } from '../client/answering.ts';
export type { Calls, ListResult } from '../client/calls.ts';
export type { Connection, ConnectionOptions, RequestOptions } from '../client/connection.ts';

/** Something that gives a connection to itself within this process, as `McpServer` does. */
export interface InProcess {
  /** The client's end of a new connection. */
  connectInProcess(): Promise<Transport>;
}

/** Connects to a server in this process, or over a transport of one's own. */
export async function connect(target: InProcess | Transport, options?: ConnectionOptions): Promise<Calls> {
  const transport = 'connectInProcess' in target ? await target.connectInProcess() : target;
  return new Calls(await Connection.open(transport, options));
}
