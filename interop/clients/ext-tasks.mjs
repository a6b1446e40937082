/** The official client of version 2 with the official helpers for tasks, wired the way their documentation says. */

import { Client } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';
import { contributeTaskFilterV2, withTaskCapabilityV2 } from '@modelcontextprotocol/ext-tasks/core/v2';

const clientInfo = { name: 'ext-tasks', version: '1.0.0' };
const clientCapabilities = { elicitation: {}, sampling: {}, roots: {} };

/**
 * Connects in one of the modes of negotiation. The client itself does not declare tasks: what it calls by itself is
 * called by a client without them.
 */
export async function connectTasks(transport, mode) {
  const client = new Client(clientInfo, { capabilities: clientCapabilities, versionNegotiation: { mode } });
  const listeners = new Set();
  // The helpers hear all of this, too.
  client.fallbackNotificationHandler = async (notification) => {
    for (const listener of listeners) listener(notification);
  };
  await client.connect(transport);
  const protocolVersion = client.getNegotiatedProtocolVersion();
  const isStateless = client.getProtocolEra() === 'modern';
  const rawDispatch = coordinate(transport);
  const stateless = { rawDispatch, v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities } };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': clientCapabilities,
  };

  return {
    client,
    revision: protocolVersion,
    isStateless,
    sessionId: () => transport.sessionId,
    openSession: (options) =>
      createTaskSessionFromClient(client, { endpointId: 'interop', ...options, ...(isStateless && stateless) }),
    /** Has the server tell of a task until the signal is aborted, which the helpers leave to their user. */
    async listen(taskId, listener, signal) {
      const params = withTaskCapabilityV2(contributeTaskFilterV2({ _meta }, [taskId]));
      listeners.add(listener);
      try {
        return await rawDispatch({ method: 'subscriptions/listen', params }, { signal });
      } finally {
        listeners.delete(listener);
      }
    },
    async close() {
      await transport.terminateSession?.();
      await client.close();
    },
  };
}

/** Sends requests whose results the client does not know: they have ids of their own, and their answers are matched here. */
function coordinate(transport) {
  const waiting = new Map();
  const { onmessage } = transport;
  let last = 0;
  transport.onmessage = (message, extra) => {
    const take = 'method' in message ? undefined : waiting.get(message.id);
    if (take) take(message);
    else onmessage(message, extra);
  };
  return async (request, { signal, context } = {}) => {
    const id = `task-${++last}`;
    const answered = new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      transport
        .send({ jsonrpc: '2.0', id, ...request }, { headers: context?.headers, requestSignal: signal })
        .catch(reject);
    });
    try {
      const { result, error } = await answered;
      return error ? { kind: 'error', error } : { kind: 'result', result };
    } finally {
      waiting.delete(id);
    }
  };
}
