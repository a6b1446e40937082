/** `mcpp/client`: connect to a server. */

import { Connection } from '../client/connection.ts';
import { type ConnectionOptions, Conversation } from '../client/conversation.ts';
import type { Transport } from '../jsonrpc/transport.ts';

export type { AnswerHandlers } from '../client/answering.ts';
export type { Connection, ListResult } from '../client/connection.ts';
export type { ConnectionOptions, RequestOptions } from '../client/conversation.ts';

/** Something that gives a connection to itself within this process, as `McpServer` does. */
export interface InProcess {
  /** The client's end of a new connection. */
  connectInProcess(): Promise<Transport>;
}

/** Connects to a server in this process, or over a transport of one's own. */
export async function connect(target: InProcess | Transport, options?: ConnectionOptions): Promise<Connection> {
  const transport = 'connectInProcess' in target ? await target.connectInProcess() : target;
  return new Connection(await Conversation.open(transport, options));
}
