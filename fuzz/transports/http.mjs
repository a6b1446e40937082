// Streamable HTTP: sessions, streams and resumption of the older revisions, requests of 2026-07-28, and HTTP that is broken.

import { brokenMessage } from '../conversation.mjs';
import { INITIALIZED, initialize, notice, request, STATEFUL, STATELESS } from '../corpus.mjs';
import { floods, requestOf } from '../floods.mjs';
import { mutatedBytes } from '../mutations.mjs';
import { answering } from './duplex.mjs';
import { brokenRequest, get, post } from './http-requests.mjs';
import { HttpRun } from './http-run.mjs';

export const name = 'http';

export function generate(random) {
  const token = random.chance(0.3) ? random.pick(['reader', 'writer', 'nobody']) : undefined;
  const kind = random.weighted([
    [40, sessionSteps],
    [35, statelessSteps],
    [4, unreadSteps],
    [4, floodSteps],
  ]);
  const steps = kind(random, token);
  return { steps, isSecure: token !== undefined, cutSeed: random.below(2 ** 31), ...answering(random) };
}

const bytes = (message) => Buffer.from(JSON.stringify(message));

/** How one request is sent: on which connection, whether its answer is awaited, whether the connection is cut within it. */
function sent(random, made) {
  const isBroken = random.chance(0.15);
  const step = { ...(isBroken ? brokenRequest(made, random) : made), on: random.pick([0, 0, 0, 1, 2]) };
  if (random.chance(0.03)) return { ...step, bytes: true, mutated: random.below(2 ** 31), isFramed: false };
  return random.weighted([
    [85, step],
    [8, { ...step, isPipelined: true }],
    [4, { ...step, cutAfter: random.next() }],
    [3, { ...step, hangUp: true }],
  ]);
}

function sessionSteps(random, token) {
  const version = random.pick(STATEFUL);
  const options = { session: true, token, version: random.chance(0.7) ? version : undefined };
  const hello = initialize(version);
  const steps = [];
  if (random.chance(0.95))
    steps.push({ ...post(random.chance(0.1) ? brokenMessage(hello, random) : bytes(hello), { token }), on: 0 });
  if (random.chance(0.9)) steps.push({ ...post(bytes(INITIALIZED), options), on: 0 });
  if (random.chance(0.4)) steps.push({ ...get('text/event-stream', options), on: 3, isPipelined: true });
  const ids = [];
  for (let count = 1 + random.below(12); count > 0; count--)
    steps.push(sent(random, inSession(random, version, ids, options)));
  return steps;
}

function inSession(random, version, ids, options) {
  const pickId = () => (random.chance(0.06) && ids.length > 0 ? random.pick(ids) : ids.length + 1);
  const kind = random.below(100);
  if (kind < 15) return post(brokenMessage(notice(random, ids), random), options);
  if (kind < 19)
    return get(random.pick(['text/event-stream', 'text/html', '*/*']), {
      ...options,
      last: random.pick([undefined, '1', 'x/2']),
    });
  if (kind < 21) return { ...get('*/*', options), line: 'DELETE /mcp HTTP/1.1' };
  if (kind < 24) return post(brokenMessage(initialize(version, 'again'), random), options);
  if (kind < (version === '2025-03-26' ? 50 : 28)) {
    const batch = Array.from({ length: random.pick([0, 1, 3, 100, 101]) }, () => request(random, version, ids.push(0)));
    return post(random.chance(0.7) ? bytes(batch) : brokenMessage(batch, random), options);
  }
  const id = pickId();
  ids.push(id);
  return post(brokenMessage(request(random, version, id), random), options);
}

function statelessSteps(random, token) {
  return Array.from({ length: 1 + random.below(12) }, (_, id) => {
    const message = request(random, STATELESS, id);
    const body = brokenMessage(message, random);
    return sent(random, post(body, { token, version: STATELESS, message: parsed(body) ?? message }));
  });
}

/** Requests in a row for large answers, on connections that do not read. */
function unreadSteps(random, token) {
  const size = random.pick([1000, 50_000, 1_000_000]);
  const message = { method: 'tools/call', params: { name: 'big', arguments: { size } } };
  return Array.from({ length: random.pick([20, 100, 400]) }, (_, id) => {
    const body = requestOf(STATELESS, id, message.method, message.params);
    return { ...post(body, { token, version: STATELESS, message }), on: id % 3, isPipelined: true, isUnread: true };
  });
}

function floodSteps(random, token) {
  const version = random.pick([STATELESS, STATELESS, '2025-11-25']);
  const session = version !== STATELESS;
  const steps = session ? [{ ...post(bytes(initialize(version)), { token }), on: 0 }] : [];
  const bodies = random.pick(floods)(random, version).slice(0, 100);
  return [
    ...steps,
    ...bodies.map((body) => ({ ...post(body, { token, version, session, message: parsed(body) }), on: 0 })),
  ];
}

function parsed(body) {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

export async function run(one, { ports, waitMs, fork }) {
  const exchange = new HttpRun(one, one.isSecure ? ports.secureHttp : ports.http, waitMs, fork);
  try {
    for (const step of one.steps) await exchange.send(step.mutated === undefined ? step : withMutatedBytes(step, fork));
    await exchange.complete();
  } finally {
    await exchange.close();
  }
  return exchange.input;
}

function withMutatedBytes(step, fork) {
  return { ...step, mutate: (whole) => mutatedBytes(whole, fork(step.mutated)) };
}
