// What a client says on one connection: valid and broken messages in any order. Each is bytes; `settle` waits for the answers.

import { INITIALIZED, initialize, notice, REVISIONS, request, STATELESS } from './corpus.mjs';
import { floods } from './floods.mjs';
import { mutatedBytes, mutatedJson } from './mutations.mjs';

const ODD_IDS = [
  null,
  true,
  1.5,
  -0,
  '',
  'x'.repeat(1024),
  'x'.repeat(1025),
  {},
  [],
  2 ** 53,
  -1,
  '\ud800',
  '__proto__',
  1e300,
];

/** One message, valid or not, as bytes. */
export function brokenMessage(value, random) {
  const text = random.chance(0.6) ? mutatedJson(value, random) : JSON.stringify(value);
  const bytes = Buffer.from(text);
  return random.chance(0.08) ? mutatedBytes(bytes, random) : bytes;
}

/** Messages of one client: `[{ message: Buffer } | { settle: true }]`. */
export function conversation(random, { revisions = REVISIONS } = {}) {
  const revision = random.pick(revisions);
  const said = [...opening(random, revision)];
  if (random.chance(0.04))
    return [
      ...said,
      ...random
        .pick(floods)(random, revision)
        .map((message) => ({ message })),
    ];
  const ids = [];
  for (let count = 1 + random.below(20); count > 0; count--) {
    said.push({ message: next(random, revision, ids) });
    if (random.chance(0.1)) said.push({ settle: true });
  }
  return said;
}

function* opening(random, revision) {
  if (revision === STATELESS && random.chance(0.9)) return;
  if (random.chance(0.1)) return;
  const version = revision === STATELESS ? '2025-11-25' : revision;
  const hello = initialize(version);
  yield { message: random.chance(0.1) ? brokenMessage(hello, random) : Buffer.from(JSON.stringify(hello)) };
  if (random.chance(0.9)) yield { settle: true };
  if (random.chance(0.9)) yield { message: Buffer.from(JSON.stringify(INITIALIZED)) };
  if (random.chance(0.05)) yield { message: Buffer.from(JSON.stringify(initialize(version, 'again'))) };
}

function next(random, revision, ids) {
  if (random.chance(0.15)) return brokenMessage(notice(random, ids), random);
  if (random.chance(revision === '2025-03-26' ? 0.2 : 0.03)) {
    const batch = Array.from({ length: random.pick([0, 1, 2, 5, 100, 101]) }, () => value(random, revision, ids));
    return random.chance(0.7) ? Buffer.from(JSON.stringify(batch)) : brokenMessage(batch, random);
  }
  return brokenMessage(value(random, revision, ids), random);
}

function value(random, revision, ids) {
  const id = random.weighted([
    [90, () => ids.length + 1],
    [5, () => random.pick(ids.length > 0 ? ids : [1])],
    [5, () => random.pick(ODD_IDS)],
  ])();
  ids.push(id);
  return request(random, random.chance(0.03) ? random.pick(REVISIONS) : revision, id);
}
