/** What a person sees who starts a server in a terminal. */

import type { Implementation } from '../../protocol/model/implementation.ts';

/** Says on stderr what this is and what to try. Without it a person sees nothing happen, and wonders. */
export function welcome({ name, version }: Implementation): void {
  process.stderr.write(
    `${name} ${version} is an MCP server and waits for its client: JSON-RPC messages, one per line. Try\n` +
      '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' +
      'Ctrl-D ends it.\n',
  );
}
