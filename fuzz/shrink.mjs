// Makes a failing case smaller: leaves out steps as long as it still fails.

/** `fails(case)` runs a case and says whether it fails. Stops after `seconds`. */
export async function shrink(one, fails, seconds) {
  const deadline = Date.now() + seconds * 1000;
  let best = one;
  for (let size = Math.ceil(one.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < best.steps.length && best.steps.length > 1; ) {
      if (Date.now() > deadline) return best;
      const steps = best.steps.toSpliced(start, size);
      const smaller = { ...best, steps };
      if (steps.length > 0 && (await fails(smaller))) best = smaller;
      else start += size;
    }
  }
  return best;
}
