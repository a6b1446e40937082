/** A sequence of thoughts with branches, kept in the process. Both versions of the thinking server use it. */

import { z } from 'zod';

export class Thoughts {
  #history = [];
  #branches = new Map();

  /** Adds a thought and returns where the sequence stands. */
  add(thought) {
    const { thoughtNumber, totalThoughts, nextThoughtNeeded, revisesThought, branchFromThought, branchId } = thought;
    if (revisesThought !== undefined && revisesThought > this.#history.length) {
      throw new Error(`Thought ${revisesThought} cannot be revised: there are ${this.#history.length} thoughts`);
    }
    this.#history.push(thought);
    if (branchFromThought !== undefined && branchId !== undefined) {
      this.#branches.set(branchId, [...(this.#branches.get(branchId) ?? []), thought]);
    }
    return {
      thoughtNumber,
      totalThoughts: Math.max(totalThoughts, thoughtNumber),
      nextThoughtNeeded,
      branches: [...this.#branches.keys()],
      thoughtHistoryLength: this.#history.length,
    };
  }
}

export const DESCRIPTION = `A tool for dynamic and reflective problem-solving through thoughts.

When to use this tool:
- Breaking down complex problems into steps
- Planning and design with room for revision

Set nextThoughtNeeded to false only when you are done.`;

/** Models write "true" now and then. */
export const flag = z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean());
