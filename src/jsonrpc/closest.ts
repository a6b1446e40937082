// Maximum length of `name`, in characters. `closest` returns undefined for longer names, to bound its running time.
const MAX_LENGTH = 64;

/** Returns the most similar of `names` if it is at most 3 edits from `name` (fewer for short names); else undefined. */
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

/** Returns the Levenshtein distance of `a` and `b`, or `limit + 1` if it is larger. Skips matrix cells beyond the limit. */
function distance(a: string, b: string, limit: number): number {
  const far = limit + 1;
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(far);
    if (i <= limit) row[0] = i;
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const replaced = (last[j - 1] ?? far) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min((last[j] ?? far) + 1, (row[j - 1] ?? far) + 1, replaced);
    }
    last = row;
  }
  return last[b.length] ?? far;
}
