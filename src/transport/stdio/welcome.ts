/** Hint for a user who starts a stdio server in a terminal. */

import type { Implementation } from '../../protocol/model/implementation.ts';

/** Prints on stderr that the server waits for a client, and a message to try. */
export function welcome({ name, version }: Implementation): void {
  process.stderr.write(
    `${name} ${version} is an MCP server and waits for its client: JSON-RPC messages, one per line. Try\n` +
      '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' +
      'Ctrl-D ends it.\n',
  );
}
