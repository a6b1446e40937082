/** A Worker that does the checks: over the network, or with the server bound to it if `bound` is said. */

import { runChecks } from '../smoke/run.mjs';

// biome-ignore lint/style/noDefaultExport: a Worker is one.
export default {
  async fetch(request, env) {
    const { bound, ...row } = await request.json();
    const send = bound ? (...args) => env.SERVER.fetch(...args) : undefined;
    return Response.json(await runChecks({ ...row, send }));
  },
};
