/**
 * Version 2 of the official SDK over HTTP: to clients of 2026-07-28 and, without sessions, of older revisions. With
 * `legacy` as its argument it is wired by hand, as before 2026-07-28: with sessions, for the older ones only.
 */

import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Events } from './event-store.mjs';
import { makeServer } from './sdk-v2.mjs';
import { serveSessions } from './sessions.mjs';
import { ACROSS_REQUESTS } from './words.mjs';

/** Every request has a server of its own, so what changes is told by what they have in common. */
function serveRequests() {
  const changes = {
    grown: [],
    grow() {
      changes.grown.push('grown');
      handler.notify.toolsChanged();
    },
    touch: () => handler.notify.resourceUpdated('test://hello'),
  };
  const handler = createMcpHandler(({ era }) =>
    makeServer({ changes, without: era === 'legacy' ? ACROSS_REQUESTS : [] }),
  );
  createServer(toNodeHandler(handler)).listen(0, '127.0.0.1');
}

async function openSession(options) {
  const transport = new NodeStreamableHTTPServerTransport({ ...options, eventStore: new Events() });
  await makeServer().connect(transport);
  return transport;
}

if (process.argv[2] === 'legacy') serveSessions(openSession);
else serveRequests();
