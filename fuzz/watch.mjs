// The bounds that the program under test must keep.

import { Fault } from './received.mjs';

/** CPU time of one case, of each megabyte of its input, and of each 100 valid requests in it, in milliseconds. */
export const CPU_MS = 500;
/** Growth of the heap after garbage collection, over the whole run, in MB. */
export const HEAP_GROWTH_MB = 32;
/** Resident memory at its highest, in MB: a container of 512 MB has to do. */
export const PEAK_RSS_MB = 512;

export class Watch {
  #child;
  #before;
  #heapMb;
  #resources;

  constructor(child) {
    this.#child = child;
  }

  /** Remembers the heap and the open resources of a program that is idle. */
  async begin() {
    this.#resources = await this.#child.ask('resources');
    this.#heapMb = await this.#child.ask('heap');
  }

  /** Call before each case. */
  async before() {
    this.#child.controlText = undefined;
    this.#before = await this.#child.ask('usage');
  }

  /** Throws `Fault` if the case cost too much or left traces. Returns the CPU time in ms. */
  async after({ bytes, requests }) {
    const { cpuMs, peakRssMb, pollution } = await this.#child.ask('usage');
    const spent = cpuMs - this.#before.cpuMs;
    const allowed = CPU_MS * Math.max(1, bytes / 2 ** 20, requests / 100);
    if (pollution.length > 0) throw new Fault(`a prototype has new members: ${pollution}`);
    if (this.#child.controlText)
      throw new Fault('control characters of a peer are on stderr', JSON.stringify(this.#child.controlText));
    if (peakRssMb > PEAK_RSS_MB)
      throw new Fault(`the process took ${peakRssMb.toFixed(0)} MB at its peak; ${PEAK_RSS_MB} MB are allowed`);
    if (spent > allowed)
      throw new CostFault(
        `${spent.toFixed(0)} ms of CPU time for ${bytes} bytes; ${allowed.toFixed(0)} ms are allowed`,
      );
    return spent;
  }

  /**
   * Throws `Fault` if resources are open or the heap has grown although every connection is closed, and do not go back to what they
   * were within `settleMs`.
   */
  async atRest(settleMs) {
    const more = await this.#settled(
      settleMs,
      async () => Object.entries(await this.#child.ask('resources')),
      (now) => now.filter(([name, count]) => count > (this.#resources[name] ?? 0)),
    );
    if (more.length > 0)
      throw new Fault(
        `resources are still open: ${more.map(([name, count]) => `${name} ${count}, before ${this.#resources[name] ?? 0}`)}`,
      );
    const grown = await this.#settled(
      settleMs,
      async () => (await this.#child.ask('heap')) - this.#heapMb,
      (now) => (now > HEAP_GROWTH_MB ? [now] : []),
    );
    if (grown.length > 0)
      throw new Fault(`the heap grew by ${grown[0].toFixed(1)} MB; ${HEAP_GROWTH_MB} MB are allowed`);
  }

  async #settled(settleMs, measure, faultsOf) {
    const deadline = Date.now() + settleMs;
    for (;;) {
      const faults = faultsOf(await measure());
      if (faults.length === 0 || Date.now() > deadline) return faults;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Too much CPU time. One measurement may be wrong, for instance by a garbage collection, so it has to repeat. */
export class CostFault extends Fault {}
