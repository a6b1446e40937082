// Large messages and many of them: what is sent to a server, over stdio or in one of the modes of HTTP, and how long it
// takes. A trial is made once for each server and then run again and again.
import { textOf } from './answers/text.mjs';
import { burst } from './load/burst.mjs';
import { load as loadHttp, once } from './load/http.mjs';
import { ask, load as loadStdio } from './load/stdio.mjs';
import { bytesOf, greet, greetOverStdio, messageOf } from './modes.mjs';
import { within } from './within.mjs';

const DEADLINE_MS = 60_000;
/** So many connections keep a server busy while answers are on their way. */
const CONNECTIONS = 4;

const echo = (bytes) => ({ method: 'tools/call', params: { name: 'echo', arguments: { message: textOf(bytes) } } });
const answer = (bytes) => ({ method: 'tools/call', params: { name: 'text', arguments: { bytes } } });
const progress = (count) => ({
  method: 'tools/call',
  params: { name: 'burst', arguments: { n: count }, _meta: { progressToken: 'bench' } },
});

/** Has text echoed over stdio, one line at a time. */
export const echoOverStdio = (bytes) => async (server) => {
  await greetOverStdio(server.child);
  const request = echo(bytes);
  const { result, error } = await within(DEADLINE_MS, ask(server.child, messageOf(false, request, 'check')));
  if (result?.content[0]?.text !== textOf(bytes)) throw new Error(`It answered ${JSON.stringify(error)}`);
  const lineFor = (index) => `${JSON.stringify(messageOf(false, request, index))}\n`;
  return async (seconds) => {
    const found = await within(
      DEADLINE_MS,
      loadStdio(server.child, { milliseconds: seconds * 1000, window: 1, lineFor }),
    );
    return { units: (found.answered * bytes) / 1e6, seconds: found.seconds };
  };
};

/** Has requests answered over HTTP by several connections; `bytes` is what counts of each answer. */
const overHttp = (bytes, request) => async (server, mode, accept) => {
  const talk = await greet(server.port, mode, accept);
  // No two requests of a session have the same id while they are under way.
  const all = Array.from({ length: CONNECTIONS }, (_, index) => bytesOf(talk, request, index + 1));
  const { status, body } = await within(DEADLINE_MS, once(server.port, all[0]));
  if (status !== 200 || body.length < bytes * 0.99) throw new Error(`It answered ${status}: ${body.slice(0, 200)}`);
  return async (seconds) => {
    const found = await within(
      DEADLINE_MS,
      loadHttp({
        port: server.port,
        connections: CONNECTIONS,
        milliseconds: seconds * 1000,
        bytesFor: (index) => all[index],
      }),
    );
    return { units: (found.answered * bytes) / 1e6, seconds: found.seconds };
  };
};

/** Has text echoed over HTTP. */
export const echoOverHttp = (bytes) => overHttp(bytes, echo(bytes));

/** Asks for text over HTTP. */
export const answerOverHttp = (bytes) => overHttp(bytes, answer(bytes));

/** Has a tool report progress again and again, over stdio. */
export const burstOverStdio = (count) => async (server) => {
  await greetOverStdio(server.child);
  const line = Buffer.from(`${JSON.stringify(messageOf(false, progress(count), 1))}\n`);
  return repeated(() => within(DEADLINE_MS, burst(server.child, line)));
};

/** Has a tool report progress again and again, over HTTP. */
export const burstOverHttp = (count) => async (server, mode, accept) => {
  const sent = bytesOf(await greet(server.port, mode, accept), progress(count), 1);
  return repeated(async () => {
    const started = performance.now();
    const { body } = await within(DEADLINE_MS, once(server.port, sent));
    const seconds = (performance.now() - started) / 1000;
    return { arrived: body.split('notifications/progress').length - 1, seconds };
  });
};

/** Runs bursts for so long; what counts is what arrived, in thousands. */
async function repeated(run) {
  await run();
  return async (seconds) => {
    let busy = 0;
    let arrived = 0;
    let bursts = 0;
    while (busy < seconds) {
      const found = await run();
      busy += found.seconds;
      arrived += found.arrived;
      bursts++;
    }
    return { units: arrived / 1000, seconds: busy, each: arrived / bursts, milliseconds: (busy * 1000) / bursts };
  };
}
