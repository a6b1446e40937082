/** What starts programs, where there are none. */

import type { ChildOptions, Command } from '../../client/command.ts';
import { ConnectionError } from '../../jsonrpc/errors.ts';
import type { Transport } from '../../jsonrpc/transport.ts';

/** Always throws. */
export function childTransport(_command: Command, _options: ChildOptions): Transport {
  throw new ConnectionError('spawn-failed', 'Programs can be started on Node only');
}
