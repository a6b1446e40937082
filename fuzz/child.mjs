// A program under test: a process with a heap of 256 MB that is asked for measurements over IPC.

import { fork } from 'node:child_process';
import { CONTROL_CHARACTER } from './control-characters.mjs';

const ASK_MS = 30_000;

export class Child {
  /** What the program said when it was ready. */
  ready;
  /** Settles with the reason when the process has ended. */
  ended;
  stderr = '';
  /** The first text on stderr that has control characters, which come from a peer. */
  controlText;
  #child;
  #waiting = new Map();
  #lastId = 0;
  #end;

  static async start(file) {
    const child = new Child(file);
    child.ready = await child.#readiness;
    return child;
  }

  #readiness;

  constructor(file) {
    const execArgv = ['--max-old-space-size=256', '--expose-gc'];
    this.#child = fork(file, { execArgv, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      const at = text.search(CONTROL_CHARACTER);
      if (at >= 0) this.controlText ??= text.slice(Math.max(0, at - 200), at + 100);
      this.stderr = (this.stderr + text).slice(-8000);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#end = `the process ended (${signal ?? `exit code ${code}`})`;
        for (const { reject } of this.#waiting.values()) reject(new Error(this.#end));
        resolve(this.#end);
      });
    });
    this.#readiness = new Promise((resolve, reject) => {
      this.#child.on('message', ({ id, ready, value, error }) => {
        if (ready) return resolve(ready);
        const { resolve: settle, reject: fail } = this.#waiting.get(id) ?? {};
        this.#waiting.delete(id);
        return error === undefined ? settle?.(value) : fail?.(new Error(error));
      });
      void this.ended.then((why) => reject(new Error(`${why} before it was ready: ${this.stderr}`)));
    });
  }

  get hasEnded() {
    return this.#end !== undefined;
  }

  /** Runs an action of the program, by name. Rejects when the process ends, or does not answer for 30 seconds. */
  ask(action, argument) {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) return reject(new Error(this.#end));
      const id = ++this.#lastId;
      const timer = setTimeout(() => settle(reject)(new Error('the process did not answer for 30 seconds')), ASK_MS);
      const settle = (how) => (value) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        how(value);
      };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.#child.send({ id, command: 'run', action, argument }, (error) => error && settle(reject)(error));
    });
  }

  async kill() {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}
