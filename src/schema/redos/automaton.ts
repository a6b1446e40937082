/** Detects regular expressions that can match one text in exponentially many ways. `redos.ts` describes the algorithm. */

import { MAX_EDGES, MAX_POSITIONS, MAX_STEPS } from '../limits.ts';
import type { RegexTree } from './regex-tree.ts';

/** Automaton positions at which a part of a pattern can start (`first`) and end (`last`). `nullable`: the part can be empty. */
interface Ends {
  readonly nullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

/** Glushkov automaton of a pattern, with one position per character set. `fault`: why the pattern is refused, if it is. */
export class Automaton {
  readonly #chars: bigint[] = [];
  readonly #next: number[][] = [];
  #edges = 0;
  #skipsCounted = false;
  readonly fault: string | undefined;

  constructor(tree: RegexTree) {
    this.#build(tree);
    const tooComplex = this.#edges > MAX_EDGES || this.#chars.length > MAX_POSITIONS * 4;
    const ambiguous = tooComplex ? undefined : this.#skipsCounted || this.#isAmbiguous();
    if (ambiguous === undefined)
      this.fault = 'is too complex a regular expression to check for exponential time: simplify it';
    else if (ambiguous) this.fault = 'must not repeat a group that can match the same text in many ways, such as (a+)+';
  }

  #build(tree: RegexTree): Ends {
    switch (tree.kind) {
      case 'set': {
        const position = this.#chars.push(tree.chars) - 1;
        this.#next.push([]);
        return { nullable: false, first: [position], last: [position] };
      }
      case 'sequence':
        return tree.parts.reduce((before, part) => this.#join(before, this.#build(part)), empty);
      case 'choice': {
        const branches = tree.branches.map((branch) => this.#build(branch));
        return {
          nullable: branches.some((branch) => branch.nullable),
          first: branches.flatMap((branch) => branch.first),
          last: branches.flatMap((branch) => branch.last),
        };
      }
      case 'repeat':
        return this.#repeat(tree.body, tree.min, tree.max);
      // Assertions, look-arounds and back references are treated as if they matched the empty text.
      case 'empty':
        return empty;
    }
  }

  #repeat(body: RegexTree, min: number, max: number): Ends {
    if (max === 0) return empty;
    // Each of the 30 copies in `(a?){30}` can match the empty text, so the matcher tries up to 2^30 combinations.
    if (min >= 10 && isNullable(body)) this.#skipsCounted = true;
    if (max === 1) return { ...this.#build(body), ...(min === 0 && { nullable: true }) };
    const copies = Number.isFinite(max) ? max : Math.max(min, 1);
    const room = MAX_POSITIONS - this.#chars.length;
    // Counted repeats such as `a{2,5}` are unrolled. `a{2,}` and `(a+){2,5}` end in a loop. Too long repeats become a loop.
    const counted = Number.isFinite(max) && !isUnbounded(body);
    if ((!counted && min <= 1) || copies * sizeOf(body) > room) return this.#loop(body, min === 0);
    let ends = empty;
    for (let copy = 1; copy < Math.max(min, 1); copy++) ends = this.#join(ends, this.#build(body));
    if (!counted) return this.#join(ends, this.#loop(body, false));
    return this.#join(min === 0 ? empty : this.#join(ends, this.#build(body)), this.#optional(body, max - min));
  }

  /** Builds `a{0,3}` as `(a(a(a)?)?)?`, because `a?a?a?` would match one `a` in three ways. */
  #optional(body: RegexTree, times: number): Ends {
    if (times === 0) return empty;
    const first = this.#build(body);
    return { ...this.#join(first, this.#optional(body, times - 1)), nullable: true };
  }

  #loop(body: RegexTree, nullable: boolean): Ends {
    const ends = this.#build(body);
    this.#connect(ends.last, ends.first);
    return { ...ends, nullable: nullable || ends.nullable };
  }

  #join(before: Ends, after: Ends): Ends {
    this.#connect(before.last, after.first);
    return {
      nullable: before.nullable && after.nullable,
      first: before.nullable ? [...before.first, ...after.first] : before.first,
      last: after.nullable ? [...before.last, ...after.last] : after.last,
    };
  }

  #connect(from: readonly number[], to: readonly number[]): void {
    this.#edges += from.length * to.length;
    if (this.#edges > MAX_EDGES) return;
    for (const position of from) this.#next[position]?.push(...to);
  }

  // Returns whether the automaton can read one text in exponentially many ways; undefined if the search exceeds `MAX_STEPS`.
  // Two copies of the automaton read the same text. If both start at one position, take different positions or parallel edges,
  // and meet at the first position again, each repetition doubles the number of ways.
  #isAmbiguous(): boolean | undefined {
    const size = this.#chars.length;
    const pairs: number[] = [];
    const followers = new Map<number, number[]>();
    const doubled: [from: number, to: number][] = [];
    for (let position = 0; position < size; position++) pairs.push(position * size + position);
    for (const pair of pairs) followers.set(pair, []);
    let steps = 0;
    for (const pair of pairs) {
      const [left, right] = [Math.floor(pair / size), pair % size];
      const reached = new Set<number>();
      for (const [nth, p] of this.#next[left]?.entries() ?? []) {
        for (const [mth, q] of this.#next[right]?.entries() ?? []) {
          if (++steps > MAX_STEPS) return undefined;
          if (((this.#chars[p] ?? 0n) & (this.#chars[q] ?? 0n)) === 0n) continue;
          const target = Math.min(p, q) * size + Math.max(p, q);
          if (pair % (size + 1) === 0 && p === q && nth !== mth) doubled.push([pair, target]);
          reached.add(target);
        }
      }
      for (const target of reached) {
        if (!followers.has(target)) {
          followers.set(target, []);
          pairs.push(target);
        }
      }
      followers.set(pair, [...reached]);
    }
    const componentOf = componentsOf(followers);
    if (doubled.some(([from, to]) => componentOf.get(from) === componentOf.get(to))) return true;
    const withEqual = new Set<number>();
    for (let position = 0; position < size; position++)
      withEqual.add(componentOf.get(position * size + position) ?? -1);
    return pairs.some((pair) => pair % (size + 1) !== 0 && withEqual.has(componentOf.get(pair) ?? -2));
  }
}

const empty: Ends = { nullable: true, first: [], last: [] };

function isNullable(tree: RegexTree): boolean {
  if (tree.kind === 'set') return false;
  if (tree.kind === 'sequence') return tree.parts.every(isNullable);
  if (tree.kind === 'choice') return tree.branches.some(isNullable);
  return tree.kind !== 'repeat' || tree.min === 0 || isNullable(tree.body);
}

function isUnbounded(tree: RegexTree): boolean {
  if (tree.kind === 'sequence') return tree.parts.some(isUnbounded);
  if (tree.kind === 'choice') return tree.branches.some(isUnbounded);
  return tree.kind === 'repeat' && (!Number.isFinite(tree.max) || isUnbounded(tree.body));
}

function sizeOf(tree: RegexTree): number {
  if (tree.kind === 'set') return 1;
  if (tree.kind === 'repeat') return sizeOf(tree.body) * (Number.isFinite(tree.max) ? tree.max : Math.max(tree.min, 1));
  if (tree.kind === 'sequence') return tree.parts.reduce((sum, part) => sum + sizeOf(part), 0);
  return tree.kind === 'choice' ? tree.branches.reduce((sum, branch) => sum + sizeOf(branch), 0) : 0;
}

/** Maps each node to the id of its strongly connected component. Gabow's algorithm, iterative to avoid stack overflows. */
function componentsOf(followers: ReadonlyMap<number, readonly number[]>): Map<number, number> {
  const component = new Map<number, number>();
  const order = new Map<number, number>();
  const open: number[] = [];
  const roots: number[] = [];
  for (const start of followers.keys()) {
    if (order.has(start)) continue;
    const path: { node: number; child: number }[] = [];
    const enter = (node: number): void => {
      order.set(node, order.size);
      open.push(node);
      roots.push(node);
      path.push({ node, child: 0 });
    };
    enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const child = followers.get(top.node)?.[top.child++];
      if (child === undefined) {
        path.pop();
        if (roots.at(-1) !== top.node) continue;
        roots.pop();
        for (let node = open.pop(); node !== undefined; node = open.pop()) {
          component.set(node, top.node);
          if (node === top.node) break;
        }
      } else if (!order.has(child)) {
        enter(child);
      } else if (!component.has(child)) {
        const reached = order.get(child) ?? 0;
        while (roots.length > 0 && (order.get(roots.at(-1) ?? 0) ?? 0) > reached) roots.pop();
      }
    }
  }
  return component;
}
