/** What both official clients have in common, with the names this package gives it. */
export function look(client, transport, own) {
  return {
    get sessionId() {
      return transport.sessionId;
    },
    state: 'ready',
    async *tools() {
      yield* (await client.listTools()).tools;
    },
    listTools: () => client.listTools(),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    readResource: (uri) => client.readResource({ uri }),
    listPrompts: () => client.listPrompts(),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: (ref, argument, others) => client.complete({ ref, argument, context: others && { arguments: others } }),
    ping: () => client.ping(),
    async close() {
      if (transport.sessionId !== undefined) await transport.terminateSession?.();
      await client.close();
    },
    ...own,
  };
}
