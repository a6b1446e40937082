// Text of any length that is the same for all: lines, since servers have to escape something.
const LINE = 'The quick brown fox jumps over the lazy dog.\n';
const ENCODED = JSON.stringify(LINE).length - 2;

const made = new Map();

/** Text that takes this many bytes as JSON, made once. */
export function textOf(bytes) {
  const text = made.get(bytes) ?? LINE.repeat(Math.floor(bytes / ENCODED));
  made.set(bytes, text);
  return text;
}
