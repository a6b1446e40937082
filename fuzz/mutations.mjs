// Breaks messages: their structure, and their bytes.

import { copyOf, placesIn, textOf, treeOf } from './json-tree.mjs';
import { oddKey, oddValue } from './odd-values.mjs';

/** Characters that one change may add by repeating what is there. */
const MAX_ADDED = 100_000;

/** Characters of a message. What a server refuses for its length alone is rare enough elsewhere. */
const MAX_LENGTH = 4_400_000;

const odd = (random) => ({ text: oddValue(random) });

/** Changes at one place of a tree. A place without the parts that a change needs stays as it is. */
const CHANGES = [
  (place, random) => place.set(odd(random)),
  (place, random) => place.set(odd(random)),
  (place) => place.parent?.splice(place.index, 1),
  (place) => place.parent?.splice(place.index, 0, clone(place.parent[place.index])),
  (place, random) => {
    // A second member of the same name.
    if (place.member) place.parent.push([place.member[0], odd(random)]);
  },
  (place, random) => {
    if (place.member) place.member[0] = oddKey(random);
  },
  (place, random) => {
    if (place.member)
      place.member[0] = random.pick([place.member[0].toUpperCase(), `${place.member[0]} `, place.member[0].slice(1)]);
  },
  (place) => place.set({ items: [place.get()] }),
  (place, random) => place.set({ members: [[oddKey(random), place.get()]] }),
  (place) => place.set(otherType(place.get())),
  (place, random) => {
    const { members, items } = place.get();
    if (members) members.splice(random.below(members.length + 1), 0, [oddKey(random), odd(random)]);
    else if (items) items.push(odd(random));
  },
  (place, random, places) => {
    const other = random.pick(places).get();
    if (textOf(other).length < MAX_ADDED) place.set(copyOf(other));
  },
  (place) => {
    const { members, items } = place.get();
    (members ?? items)?.splice(0);
  },
  (place, random) => {
    for (let depth = random.pick([5, 50, 70, 300]); depth > 0; depth--) place.set({ items: [place.get()] });
  },
  (place, random) => {
    const list = place.get().items;
    if (!list?.[0]) return;
    const most = MAX_ADDED / textOf(list[0]).length;
    for (let count = Math.min(most, random.pick([10, 200, 2000])); count > 0; count--) list.push(copyOf(list[0]));
  },
];

function clone(part) {
  return Array.isArray(part) ? [part[0], copyOf(part[1])] : copyOf(part);
}

function otherType(node) {
  if (node.members) return { items: node.members.map(([, value]) => value) };
  if (node.items) return { members: node.items.map((item, index) => [String(index), item]) };
  return { text: node.text.startsWith('"') ? '7' : JSON.stringify(node.text) };
}

/** JSON text of a value that was changed at `times` places. */
export function mutatedJson(value, random, times = 1 + random.below(3)) {
  let root = treeOf(value);
  for (let left = times; left > 0; left--) {
    const { places, root: changed } = placesIn(root);
    // The envelope breaks as often as what is in it, although it has fewer places.
    const pool = random.chance(0.3) ? places.slice(0, 8) : places;
    random.pick(CHANGES)(random.pick(pool), random, places);
    root = changed();
  }
  const text = textOf(root);
  return text.length > MAX_LENGTH ? JSON.stringify(value) : text;
}

const SEQUENCES = [
  '00',
  'ff',
  'fe',
  'c080',
  'eda080',
  'efbbbf',
  'f4908080',
  '0a',
  '0d',
  '0d0a',
  '0a0a',
  'e280a8',
  '22',
  '5c',
  '7b',
  '7d',
  '5b',
  '2c',
  '3a',
].map((hex) => Buffer.from(hex, 'hex'));

const BYTE_CHANGES = [
  (bytes, at) => bytes.subarray(0, at),
  (bytes, at) => bytes.subarray(at),
  (bytes, at, random) => {
    const changed = Buffer.from(bytes);
    if (changed.length > 0) changed[at] = random.below(256);
    return changed;
  },
  (bytes, at, random) => Buffer.concat([bytes.subarray(0, at), random.pick(SEQUENCES), bytes.subarray(at)]),
  (bytes, at, random) =>
    Buffer.concat([random.pick(SEQUENCES), bytes, at % 2 ? random.pick(SEQUENCES) : Buffer.alloc(0)]),
  (bytes, at, random) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(6))]),
  (bytes, at, random) => {
    const end = at + random.below(40);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at, end), bytes.subarray(end)]);
  },
  (bytes) => Buffer.concat([bytes, bytes]),
];

/** Bytes with one mistake in them. */
export function mutatedBytes(bytes, random) {
  return random.pick(BYTE_CHANGES)(bytes, random.below(Math.max(1, bytes.length)), random);
}

/** Where to cut bytes that are sent in several pieces. */
export function chunkBorders(length, random) {
  if (length < 2 || random.chance(0.6)) return [];
  const cuts = Array.from({ length: 1 + random.below(4) }, () => 1 + random.below(length - 1));
  return [...new Set(cuts)].sort((a, b) => a - b);
}
