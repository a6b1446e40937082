// The loop of every client program: it calls a tool as fast as it can, for as long or as often as the driver asks, with as
// many calls in flight as the driver asks.
const SUM = 5;

/** What is called: a tool with a schema for what goes in and what comes out. */
export const ADD = { name: 'add', arguments: { a: 2, b: 3 } };

/** Tells the driver that `call`, which gives the structured content of a result, can be measured, and has it measured. */
export async function measured(call) {
  const { sum } = await call();
  if (sum !== SUM) throw new Error(`The answer is ${sum}`);
  process.on('message', async (length) => {
    process.send(await callFor(call, length));
  });
  process.on('disconnect', () => process.exit());
  process.send('ready');
}

/** JSON has no Infinity: a length that the driver leaves out has no limit. */
async function callFor(call, { milliseconds = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY, inFlight }) {
  const before = process.cpuUsage();
  const started = performance.now();
  const end = started + milliseconds;
  let calls = 0;
  const keepCalling = async () => {
    while (calls < count && performance.now() < end) {
      calls++;
      await call();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, keepCalling));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { calls, seconds, cpuMicroseconds: user + system };
}
