// What every client program of the benchmark does once it is connected: it calls as fast as it can, for as long as it is
// told, with as many calls at a time as it is told.
const SUM = 5;

/** What is called: a tool with a schema for what goes in and what comes out. */
export const ADD = { name: 'add', arguments: { a: 2, b: 3 } };

/** Tells the driver that `call`, which gives the structured content of a result, can be measured, and has it measured. */
export async function measured(call) {
  const { sum } = await call();
  if (sum !== SUM) throw new Error(`The answer is ${sum}`);
  process.on('message', async ({ milliseconds, inFlight }) => {
    process.send(await callFor(call, milliseconds, inFlight));
  });
  process.on('disconnect', () => process.exit());
  process.send('ready');
}

async function callFor(call, milliseconds, inFlight) {
  const before = process.cpuUsage();
  const started = performance.now();
  const end = started + milliseconds;
  let calls = 0;
  const keepCalling = async () => {
    while (performance.now() < end) {
      await call();
      calls++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, keepCalling));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { calls, seconds, cpuMicroseconds: user + system };
}
