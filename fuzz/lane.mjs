// Runs cases against one program until the time is over: a lane for each transport, each with a process of its own.

import { Child } from './child.mjs';
import { Random } from './random.mjs';
import { Fault } from './received.mjs';
import { shrink } from './shrink.mjs';
import { CostFault, Watch } from './watch.mjs';

const WAIT_MS = 10_000;
/** Time for all of one case, in ms. */
const CASE_MS = 60_000;
/** Time for closed connections to be noticed, and for what was kept for them to be released, in ms. */
const SETTLE_MS = 10_000;
// Shorter while a case is made smaller: it is known to fail.
const SHRINK_WAIT_MS = 2000;
const SEARCH_SECONDS = 60;
const CASES_BETWEEN_RESTS = 100;

export class Lane {
  cases = 0;
  bytes = 0;
  maxCpuMs = 0;
  #transport;
  #program;
  #random;
  #child;
  #watch;
  #shrinkSeconds;

  /** `shrinkSeconds`: the time for making a failing case smaller. */
  constructor(transport, program, seed, shrinkSeconds) {
    this.#shrinkSeconds = shrinkSeconds;
    this.#transport = transport;
    this.#program = program;
    this.#random = new Random(seed).fork(transport.name);
  }

  get name() {
    return this.#transport.name;
  }

  /** Runs cases until `isOver`, and reports failures. */
  async run(isOver, onFailure) {
    await this.#start();
    try {
      let rested = 0;
      for (let index = 0; ; index++) {
        const isLast = isOver();
        if (index > rested && (isLast || index - rested === CASES_BETWEEN_RESTS)) {
          const failure = await this.#restAfter(rested, index);
          if (failure) onFailure(failure);
          rested = index;
        }
        if (isLast) return this;
        const one = this.#case(index);
        const fault = await this.#attempt(one);
        if (!fault) continue;
        onFailure(await this.#failure(one, index, fault));
        // The process is a new one.
        rested = index + 1;
      }
    } finally {
      await this.#child.kill();
    }
  }

  /** Runs one case in a fresh process; gives its fault, if there is one. */
  async replay(one) {
    await this.#start();
    try {
      return (await this.#attempt(one)) ?? (await this.#rest());
    } finally {
      await this.#child.kill();
    }
  }

  async #start() {
    await this.#child?.kill();
    this.#child = await Child.start(this.#program);
    // What is loaded and compiled once is not the cost of a case.
    await this.#once(this.#transport.generate(new Random(1)), SHRINK_WAIT_MS).catch(() => {});
    const isAlive = await this.#child.ask('usage').then(
      () => true,
      () => false,
    );
    if (!isAlive) this.#child = await Child.start(this.#program);
    this.#watch = new Watch(this.#child);
    await this.#watch.begin();
  }

  async #attempt(one, waitMs = WAIT_MS) {
    const first = await this.#faultOf(one, waitMs);
    if (!(first instanceof CostFault)) return first;
    const second = await this.#faultOf(one, waitMs);
    return second && (await this.#faultOf(one, waitMs));
  }

  async #faultOf(one, waitMs) {
    try {
      await this.#watch.before();
      const input = await this.#once(one, waitMs);
      const cpuMs = await this.#watch.after(input);
      this.cases++;
      this.bytes += input.bytes;
      this.maxCpuMs = Math.max(this.maxCpuMs, cpuMs);
      return undefined;
    } catch (error) {
      return await this.#asFault(error);
    }
  }

  /** The end of the process explains every other failure. */
  async #asFault(error) {
    await Promise.race([this.#child.ended, new Promise((resolve) => setTimeout(resolve, 200))]);
    if (!this.#child.hasEnded) return error instanceof Fault ? error : new Fault(`the fuzzer failed: ${error.stack}`);
    return new Fault(await this.#child.ended, this.#child.stderr.slice(-1500));
  }

  async #once(one, waitMs) {
    const fork = (label) => new Random(one.cutSeed ?? one.answerSeed ?? 0).fork(label);
    const running = this.#transport.run(one, { ...this.#child.ready, child: this.#child, waitMs, fork });
    running.catch(() => {});
    let timer;
    const tooLate = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Fault(`the case did not end within ${CASE_MS} ms`)), CASE_MS);
    });
    const ended = this.#child.ended.then((why) => Promise.reject(new Fault(why)));
    ended.catch(() => {});
    try {
      return await Promise.race([running, ended, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #rest(settleMs = SETTLE_MS) {
    try {
      await this.#watch.atRest(settleMs);
      return undefined;
    } catch (error) {
      return await this.#asFault(error);
    }
  }

  #case(index) {
    return this.#transport.generate(this.#random.fork(index));
  }

  /** Checks the program at rest after some cases; if it fails, finds the case that makes it fail. */
  async #restAfter(first, end) {
    const fault = await this.#rest();
    if (!fault) return undefined;
    console.log(`${this.name}, cases ${first} to ${end - 1}: ${fault.message}; looking for the case`);
    const deadline = Date.now() + SEARCH_SECONDS * 1000;
    for (let index = end - 1; index >= first && Date.now() < deadline; index--) {
      await this.#start();
      const one = this.#case(index);
      await this.#attempt(one);
      if (await this.#rest(SHRINK_WAIT_MS)) return this.#failure(one, index, fault);
    }
    await this.#start();
    return { lane: this.name, index: `${first} to ${end - 1} together`, fault, one: { steps: [] } };
  }

  async #failure(one, index, fault) {
    const kind = kindOf(fault);
    console.log(`${this.name}, case ${index}: ${fault.message}; making the case smaller`);
    const fails = async (smaller) => {
      if (this.#child.hasEnded || kind === 'rest') await this.#start();
      const again =
        (await this.#attempt(smaller, SHRINK_WAIT_MS)) ??
        (kind === 'rest' ? await this.#rest(SHRINK_WAIT_MS) : undefined);
      return again !== undefined && kindOf(again) === kind;
    };
    const small = one.steps ? await shrink(one, fails, this.#shrinkSeconds) : one;
    await this.#start();
    return { lane: this.name, index, fault, one: small };
  }
}

function kindOf({ message }) {
  if (/CPU/.test(message)) return 'cost';
  if (/heap|resources/.test(message)) return 'rest';
  return message.replaceAll(/\d+/g, '#').slice(0, 30);
}
