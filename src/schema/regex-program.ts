/** A regular expression as a machine that is in many places at once, so that no text can make it go back. */

import { maxLooks, setOf } from './regex-parts.ts';
import type { Assertion, RegexTree } from './regex-tree.ts';

/** One place of the machine. */
type Node =
  | { readonly kind: 'set'; readonly has: (code: number) => boolean; readonly next: number }
  | { readonly kind: 'split'; readonly next: number[] }
  | { readonly kind: 'assertion'; readonly holds: Assertion; readonly next: number }
  | { readonly kind: 'look'; readonly look: number; readonly negated: boolean; readonly next: number }
  | { readonly kind: 'accept' };

/** What the machine of a pattern and those of its look-arounds share. */
export class Parts {
  readonly unicode: boolean;
  /** The machines of the look-arounds, inner ones first: each is run over the whole text before any that needs it. */
  readonly looks: Program[] = [];
  readonly known: Map<RegexTree, number> = new Map();
  readonly #sets = new Map<string, (code: number) => boolean>();

  constructor(unicode: boolean) {
    this.unicode = unicode;
  }

  /** Which characters a set has. */
  set(source: string): (code: number) => boolean {
    const has = this.#sets.get(source) ?? setOf(source, this.unicode);
    this.#sets.set(source, has);
    return has;
  }
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
  /** The moves already worked out: of ASCII characters, where no look-around is true, */
  readonly plain: (Move | undefined)[];
  /** and all others, by the character and the look-arounds that are true before it. */
  readonly moves: Map<number, Move>;
}

interface Move {
  /** A match ends here, before the next character. */
  readonly matched: boolean;
  readonly next: State;
}

/** Room for what is remembered of one machine, in places and moves. */
const maxRemembered = 4000;

/** What a state takes of it, whatever its places. */
const stateSize = 20;

const everyTruth = 2 ** maxLooks;

/** The machine of a pattern, reading forwards or backwards. It finds where matches end, wherever they begin. */
export class Program {
  readonly backward: boolean;
  readonly #nodes: Node[] = [{ kind: 'accept' }];
  readonly #start: number;
  readonly #parts: Parts;
  readonly #anchored: boolean;
  readonly #states = new Map<string, State>();
  #room = maxRemembered;

  constructor(tree: RegexTree, parts: Parts, backward: boolean) {
    this.backward = backward;
    this.#parts = parts;
    this.#start = this.#build(tree, 0);
    this.#anchored = this.#isAnchored();
  }

  /** Before the first character. */
  first(): State {
    return this.#state([this.#start], 'edge');
  }

  /** Goes on by one character; `truths` has a bit for each look-around that is true here. The same is only worked out once. */
  move(state: State, code: number, truths: number, spend: Spend): Move {
    const isPlain = truths === 0 && code < 128;
    const key = isPlain ? code + 1 : (code + 1) * everyTruth + truths;
    const known = isPlain ? state.plain[key] : state.moves.get(key);
    if (known) return known;
    const { matched, sets, visited } = this.#reach(state, code, truths);
    spend(visited * 8);
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
    if (this.#room-- <= 0) return move;
    if (isPlain) state.plain[key] = move;
    else state.moves.set(key, move);
    return move;
  }

  #state(places: readonly number[], passed: Side): State {
    const key = `${passed} ${places.join()}`;
    const known = this.#states.get(key);
    if (known) return known;
    const state: State = { places, passed, plain: Array(129).fill(undefined), moves: new Map() };
    if (this.#room > 0) {
      this.#room -= stateSize + places.length;
      this.#states.set(key, state);
    }
    return state;
  }

  /** Everywhere the machine gets from where it is without taking a character. */
  #reach(state: State, code: number, truths: number) {
    const seen = new Set(state.places);
    const sets: Node[] = [];
    let matched = false;
    for (const place of seen) {
      const node = this.#nodes[place];
      if (node?.kind === 'set') sets.push(node);
      else if (node?.kind === 'accept') matched = true;
      else if (node?.kind === 'split') for (const next of node.next) seen.add(next);
      else if (node?.kind === 'look' && ((truths >> node.look) & 1) === (node.negated ? 0 : 1)) seen.add(node.next);
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
        return this.#add({ kind: 'set', has: this.#parts.set(tree.source), next });
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
    const { looks, known } = this.#parts;
    const made = known.get(tree);
    if (made !== undefined) return made;
    // What lies ahead of a place is where a match read backwards from anywhere behind it ends.
    const program = new Program(inside, this.#parts, ahead);
    const look = looks.push(program) - 1;
    known.set(tree, look);
    return look;
  }
}

function sideOf(code: number): Side {
  if (code === edge) return 'edge';
  const isWord = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
  return isWord ? 'word' : 'other';
}
