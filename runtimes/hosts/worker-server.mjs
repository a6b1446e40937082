/** The server as a Worker: in a Durable Object at `/durable`, by itself elsewhere. */

import { DurableObject } from 'cloudflare:workers';
import { fetchHandler } from 'mcpp/fetch';
import { makeServer } from '../smoke/server.mjs';

// A request may come to any of many copies of a Worker, so they can have no sessions.
const handler = fetchHandler(makeServer(), { sessions: false });

/** One for all clients; their sessions live in it. */
export class Endpoint extends DurableObject {
  handler = fetchHandler(makeServer());

  fetch(request) {
    return this.handler(request);
  }
}

// biome-ignore lint/style/noDefaultExport: a Worker is one.
export default {
  fetch(request, env) {
    const isDurable = new URL(request.url).pathname === '/durable';
    return isDurable ? env.ENDPOINT.getByName('only').fetch(request) : handler(request);
  },
};
