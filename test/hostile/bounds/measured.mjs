// Loaded by the programs that the tests attack: measures what an attack costs the process it runs in.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Tells the test that the program is ready, and answers its requests until it disconnects.
 * `actions` are what the test can have the program do, by name; `ready` is passed to the test, for instance `{ port }`.
 */
export function underAttack({ ready = {}, actions = {} } = {}) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  let cpu = process.cpuUsage();
  let peak = 0;
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage().rss);
  };
  const timer = setInterval(sample, 20);
  const commands = {
    begin() {
      delay.reset();
      delay.enable();
      cpu = process.cpuUsage();
      peak = process.memoryUsage().rss;
    },
    async end() {
      // A block of the event loop is recorded in the turn after it.
      await new Promise((resolve) => setTimeout(resolve, 30));
      const { user, system } = process.cpuUsage(cpu);
      delay.disable();
      sample();
      return {
        cpuMs: (user + system) / 1000,
        maxDelayMs: delay.max / 1e6,
        peakRssMb: peak / 2 ** 20,
        heapMb: heapUsed() / 2 ** 20,
      };
    },
    run: ({ action, argument }) => actions[action](argument),
  };
  process.on('message', async ({ id, command, ...rest }) => {
    try {
      process.send({ id, value: await commands[command](rest) });
    } catch (error) {
      process.send({ id, error: String(error?.stack ?? error) });
    }
  });
  process.once('disconnect', () => {
    clearInterval(timer);
    process.exit();
  });
  process.send({ ready });
}

function heapUsed() {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
