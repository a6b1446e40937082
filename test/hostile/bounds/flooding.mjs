// The messages of a server that floods its clients, whatever it is reached by.

/** The response to a message; undefined for a notification. */
export function answerTo({ id, method }) {
  if (id === undefined || method === undefined) return undefined;
  return { jsonrpc: '2.0', id, result: resultOf(method) };
}

function resultOf(method) {
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'done' }] };
  if (method !== 'initialize') return {};
  return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'f', version: '1' } };
}
