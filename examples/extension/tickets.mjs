// An extension: a tool stores its result and responds with a ticket, which the client redeems.
import { RpcError } from 'mcpp';
import { extensionResult } from 'mcpp/server';

const counter = new Map();
const waiting = new Set();

/** Returns the response of a tool: a ticket for `result`. */
export function ticketFor(ticketId, result) {
  counter.set(ticketId, result);
  for (const tell of waiting) tell(ticketId);
  return extensionResult('ticket', { ticketId });
}

export const tickets = {
  id: 'com.example/tickets',
  mcpNames: { 'tickets/redeem': 'ticketId' },
  resultTypes: { ticket: ['tools/call'] },
  server: {
    settings: { colour: 'blue' },
    methods: {
      'tickets/redeem'({ ticketId }) {
        if (!counter.has(ticketId)) throw RpcError.invalidParams('There is no such ticket');
        return { found: counter.get(ticketId) };
      },
      'notifications/tickets/lost': ({ ticketId }) => void counter.delete(ticketId),
    },
    subscriptions: { ticketIds: (wanted) => ({ accepted: wanted, begin: (notify) => watch(wanted, notify) }) },
    describeTool: (tool) => ({ ...tool, _meta: { ...tool._meta, 'com.example/ticketed': true } }),
    resultMeta: () => ({ 'com.example/waiting': counter.size }),
  },
  client: {
    requestMeta: (method) => (method === 'tools/call' ? { 'com.example/hurry': false } : undefined),
    resultTypes: {
      ticket: async ({ ticketId }, _, peer) => (await peer.request('tickets/redeem', { ticketId })).found,
    },
  },
};

function watch(wanted, tell) {
  const tellIfWanted = (ticketId) => wanted.includes(ticketId) && tell('notifications/tickets', { ticketId });
  waiting.add(tellIfWanted);
  return () => waiting.delete(tellIfWanted);
}
