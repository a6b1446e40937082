/** The client of version 2 of the official SDK, made to look like this package's, as far as the checks look. */

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { look } from './look.mjs';

/** Connects in one of its modes of negotiation: over stdio to a program (`{ command, args, env }`), else to a URL. */
export async function connectV2(target, answers, { mode, sse = false }) {
  const client = new Client(
    { name: 'sdk-v2', version: '1.0.0' },
    { capabilities: { elicitation: {}, sampling: {}, roots: {} }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', () => answers.onElicit());
  client.setRequestHandler('sampling/createMessage', () => answers.onSample());
  client.setRequestHandler('roots/list', () => ({ roots: answers.roots }));
  const transport = transportTo(target, sse);
  await client.connect(transport);
  const isStateless = client.getProtocolEra() === 'modern';

  /** Has the server told what it is to tell of, which older revisions do in their own way. */
  async function listen(what) {
    if (isStateless) {
      const subscription = await client.listen(
        what === 'tools' ? { toolsListChanged: true } : { resourceSubscriptions: [what] },
      );
      return () => subscription.close();
    }
    if (what === 'tools') return async () => {};
    await client.subscribeResource({ uri: what });
    return () => client.unsubscribeResource({ uri: what });
  }

  return look(client, transport, {
    revision: client.getNegotiatedProtocolVersion(),
    // Gone from the protocol.
    ...(isStateless && { ping: undefined }),
    callTool: (name, args, { onProgress, signal } = {}) =>
      client.callTool({ name, arguments: args }, { onprogress: onProgress, signal }),
    async watch(what, listener) {
      if (what === 'tools') client.setNotificationHandler('notifications/tools/list_changed', listener);
      else client.setNotificationHandler('notifications/resources/updated', ({ params }) => listener(params));
      return what === undefined ? async () => {} : listen(what);
    },
  });
}

function transportTo(target, sse) {
  if (typeof target === 'object') return new StdioClientTransport(target);
  return sse ? new SSEClientTransport(new URL(target)) : new StreamableHTTPClientTransport(new URL(target));
}
