// Maximum length of a name for which a similar one is searched, in characters. It bounds the time that received names cost.
const MAX_LENGTH = 64;

/** Returns the most similar name, for "did you mean"; undefined if none is within 3 edits and a third of the characters. */
export function closest(name: string, names: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let limit = Math.min(3, Math.ceil(name.length / 3));
  for (const each of names) {
    if (each === name || Math.abs(each.length - name.length) > limit) continue;
    const edits = distance(wanted, each.toLowerCase(), limit);
    if (edits > limit || (edits === limit && best !== undefined)) continue;
    best = each;
    limit = edits;
  }
  return best;
}

/**
 * Returns the Damerau-Levenshtein distance: insertions, deletions, substitutions and transpositions of neighbours.
 * Above the limit it returns `limit + 1`: only cells within the limit are computed, so that thousands of names take little time.
 */
function distance(a: string, b: string, limit: number): number {
  const far = limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(far);
    if (i <= limit) row[0] = i;
    let least = row[0] ?? far;
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const isSame = a[i - 1] === b[j - 1];
      let edits = Math.min((last[j] ?? far) + 1, (row[j - 1] ?? far) + 1, (last[j - 1] ?? far) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, (beforeLast[j - 2] ?? far) + 1);
      }
      row[j] = edits;
      least = Math.min(least, edits);
    }
    if (least > limit) return far;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? far;
}
