/** Plays transcripts within the process. */

import type { Message } from 'mcpp';
import { Inbox } from './inbox.ts';
import type { Runner } from './play.ts';
import { makeServer } from './servers.ts';

/** A connection in memory to a server of its own. */
export const memory: Runner = {
  name: 'memory',
  async open(name) {
    const inbox = new Inbox();
    const transport = await makeServer(name).connectInProcess();
    await transport.connect({
      onMessage: (payload) => inbox.put(payload),
      onError: (error) => inbox.end(error),
      onClose: (cause) => inbox.end(cause ?? new Error('the server closed the connection')),
    });
    return {
      // Whatever JSON the line holds is sent, also what is no message at all.
      send: (line) => transport.send({ toJSON: () => JSON.parse(line) } as unknown as Message),
      next: () => inbox.next(),
      close: () => transport.disconnect(),
    };
  },
};
