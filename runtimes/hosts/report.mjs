/** What a host tells whoever started it, line by line: where its server is, and how the checks went within. */

import { runChecks } from '../smoke/run.mjs';

/** Prints it, for each of the ways a client has to send requests. The server goes on. */
export async function report(url) {
  console.log(JSON.stringify({ url }));
  console.log(JSON.stringify({ row: 'within', outcomes: await runChecks({ url }) }));
  const send = (...args) => fetch(...args);
  console.log(JSON.stringify({ row: 'within, by fetch', outcomes: await runChecks({ url, send }) }));
  console.log(JSON.stringify({ done: true }));
}
