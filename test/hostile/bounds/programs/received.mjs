// A client that lists the tools of a server and calls one.

import { connect } from 'mcpp/client';
import { underAttack } from '../measured.mjs';

const messages = [];

underAttack({
  actions: {
    /** The error of the call, or the text of its result, and everything that was told to `onError`. */
    async call({ url, revision }) {
      messages.length = 0;
      const client = await connect(url, { revision, onError: (error) => messages.push(error.message) });
      try {
        await client.listTools();
        const outcome = await client.callTool('t', {}).then(
          () => 'accepted',
          (error) => String(error.message).slice(0, 10_000),
        );
        return { outcome, messages: messages.map((message) => message.slice(0, 10_000)) };
      } finally {
        await client.close();
      }
    },
  },
});
