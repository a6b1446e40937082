/** A regular expression as a machine that is in many places at once, so that no text can make it go back. */

import type { Assertion, RegexTree } from './regex-tree.ts';

/** One place of the machine. */
type Node =
  | { readonly kind: 'set'; readonly has: (code: number) => boolean; readonly next: number }
  | { readonly kind: 'split'; readonly next: number[] }
  | { readonly kind: 'assertion'; readonly holds: Assertion; readonly next: number }
  | { readonly kind: 'look'; readonly look: number; readonly negated: boolean; readonly next: number }
  | { readonly kind: 'accept' };

/** A look-around: a machine of its own, run over the whole text before the one it stands in. */
export interface Look {
  readonly program: Program;
}

/** Pays for work; throws when there is no more to spend. */
export type Spend = (steps: number) => void;

/** What the machine has before it where the text ends. */
export const edge = -1;

type Side = 'edge' | 'word' | 'other';

/** The places the machine is in, and what it has just passed. */
interface State {
  readonly places: readonly number[];
  readonly passed: Side;
  readonly moves: Map<number, Move>;
}

interface Move {
  /** A match ends here, before the next character. */
  readonly matched: boolean;
  readonly next: State;
}

const maxRemembered = 20_000;

/** How many places a machine has: repeats that are counted are written out. */
export function programSize(tree: RegexTree): number {
  switch (tree.kind) {
    case 'sequence':
      return tree.parts.reduce((sum, part) => sum + programSize(part), 0);
    case 'choice':
      return tree.branches.reduce((sum, branch) => sum + programSize(branch), 1);
    case 'repeat': {
      const copies = Number.isFinite(tree.max) ? tree.max : Math.max(tree.min, 1);
      return copies * (programSize(tree.body) + 1) + 1;
    }
    case 'look':
      return 1 + programSize(tree.inside);
    default:
      return 1;
  }
}

/** The machine of a pattern, reading forwards or backwards. It finds where matches end, wherever they begin. */
export class Program {
  readonly backward: boolean;
  readonly #nodes: Node[] = [{ kind: 'accept' }];
  readonly #start: number;
  readonly #looks: Map<RegexTree, number>;
  readonly #allLooks: Look[];
  readonly #unicode: boolean;
  readonly #anchored: boolean;
  readonly #states = new Map<string, State>();
  #hasLook = false;
  #room = maxRemembered;

  constructor(
    tree: RegexTree,
    unicode: boolean,
    backward: boolean,
    looks: Look[],
    known: Map<RegexTree, number> = new Map(),
  ) {
    this.#unicode = unicode;
    this.backward = backward;
    this.#allLooks = looks;
    this.#looks = known;
    this.#start = this.#build(tree, 0);
    this.#anchored = this.#isAnchored();
  }

  /** Before the first character. */
  first(): State {
    return this.#state([this.#start], 'edge');
  }

  /** Goes on by one character. The same step from the same places is only worked out once. */
  move(state: State, code: number, isTrue: (look: number) => boolean, spend: Spend): Move {
    const known = state.moves.get(code);
    if (known) return known;
    const { matched, sets, visited } = this.#reach(state, code, isTrue);
    spend(visited * 4);
    const places = new Set<number>();
    for (const node of sets) if (node.kind === 'set' && code !== edge && node.has(code)) places.add(node.next);
    if (!this.#anchored) places.add(this.#start);
    const move = {
      matched,
      next: this.#state(
        [...places].sort((a, b) => a - b),
        sideOf(code),
      ),
    };
    if (!this.#hasLook && this.#room > 0) {
      this.#room--;
      state.moves.set(code, move);
    }
    return move;
  }

  #state(places: readonly number[], passed: Side): State {
    const key = this.#hasLook ? '' : `${passed} ${places.join()}`;
    const known = this.#states.get(key);
    if (known) return known;
    const state: State = { places, passed, moves: new Map() };
    if (!this.#hasLook && this.#room > 0) {
      this.#room -= places.length;
      this.#states.set(key, state);
    }
    return state;
  }

  /** Everywhere the machine gets from where it is without taking a character. */
  #reach(state: State, code: number, isTrue: (look: number) => boolean) {
    const seen = new Set(state.places);
    const sets: Node[] = [];
    let matched = false;
    for (const place of seen) {
      const node = this.#nodes[place];
      if (node?.kind === 'set') sets.push(node);
      else if (node?.kind === 'accept') matched = true;
      else if (node?.kind === 'split') for (const next of node.next) seen.add(next);
      else if (node?.kind === 'look' && isTrue(node.look) !== node.negated) seen.add(node.next);
      else if (node?.kind === 'assertion' && this.#holds(node.holds, state.passed, sideOf(code))) seen.add(node.next);
    }
    return { matched, sets, visited: seen.size };
  }

  #holds(assertion: Assertion, passed: Side, coming: Side): boolean {
    const isBoundary = (passed === 'word') !== (coming === 'word');
    if (assertion === 'boundary') return isBoundary;
    if (assertion === 'no-boundary') return !isBoundary;
    return ((assertion === 'start') !== this.backward ? passed : coming) === 'edge';
  }

  /** Whether a match can only begin where the text does. */
  #isAnchored(): boolean {
    const seen = new Set([this.#start]);
    for (const place of seen) {
      const node = this.#nodes[place];
      if (node?.kind === 'set' || node?.kind === 'accept') return false;
      if (node?.kind === 'split') for (const next of node.next) seen.add(next);
      else if (node?.kind === 'look') seen.add(node.next);
      else if (node?.kind === 'assertion' && node.holds !== (this.backward ? 'end' : 'start')) seen.add(node.next);
    }
    return true;
  }

  #add(node: Node): number {
    return this.#nodes.push(node) - 1;
  }

  /** Writes what leads through a tree to the place after it. */
  #build(tree: RegexTree, next: number): number {
    switch (tree.kind) {
      case 'set':
        return this.#add({ kind: 'set', has: setOf(tree.source, this.#unicode), next });
      case 'sequence': {
        const parts = this.backward ? tree.parts : tree.parts.toReversed();
        return parts.reduce((after, part) => this.#build(part, after), next);
      }
      case 'choice':
        return this.#add({ kind: 'split', next: tree.branches.map((branch) => this.#build(branch, next)) });
      case 'repeat':
        return this.#repeat(tree.body, tree.min, tree.max, next);
      case 'assertion':
        return this.#add({ kind: 'assertion', holds: tree.holds, next });
      case 'look':
        this.#hasLook = true;
        return this.#add({
          kind: 'look',
          look: this.#look(tree, tree.inside, tree.ahead),
          negated: tree.negated,
          next,
        });
      case 'reference':
        throw new TypeError('a back reference is no place of a machine');
    }
  }

  #repeat(body: RegexTree, min: number, max: number, next: number): number {
    let entry = next;
    let copies = min;
    if (Number.isFinite(max)) {
      for (let copy = min; copy < max; copy++) {
        entry = this.#add({ kind: 'split', next: [this.#build(body, entry), next] });
      }
    } else {
      const loop = { kind: 'split' as const, next: [next] };
      const again = this.#add(loop);
      const inside = this.#build(body, again);
      loop.next.push(inside);
      entry = min === 0 ? again : inside;
      copies = Math.max(min - 1, 0);
    }
    for (let copy = 0; copy < copies; copy++) entry = this.#build(body, entry);
    return entry;
  }

  #look(tree: RegexTree, inside: RegexTree, ahead: boolean): number {
    const known = this.#looks.get(tree);
    if (known !== undefined) return known;
    // What lies ahead of a place is where a match read backwards from anywhere behind it ends. Inner ones come first.
    const program = new Program(inside, this.#unicode, ahead, this.#allLooks, this.#looks);
    const look = this.#allLooks.push({ program }) - 1;
    this.#looks.set(tree, look);
    return look;
  }
}

function sideOf(code: number): Side {
  if (code === edge) return 'edge';
  const isWord = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
  return isWord ? 'word' : 'other';
}

/** Which characters a set has: `RegExp` knows best, and of a single character it says so at once. */
function setOf(source: string, unicode: boolean): (code: number) => boolean {
  if (!/^[\\[.]/.test(source)) {
    const only = source.codePointAt(0);
    return (code) => code === only;
  }
  const expression = new RegExp(`^${source}$`, unicode ? 'u' : '');
  return (code) => expression.test(String.fromCodePoint(code));
}
