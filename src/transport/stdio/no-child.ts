/** `childTransport` for runtimes that cannot start processes: always throws. */

import type { ChildOptions, Command } from '../../client/command.ts';
import { ConnectionError } from '../../jsonrpc/errors.ts';
import type { Transport } from '../../jsonrpc/transport.ts';

export function childTransport(_command: Command, _options: ChildOptions): Transport {
  throw new ConnectionError('spawn-failed', 'Programs can be started on Node only');
}
