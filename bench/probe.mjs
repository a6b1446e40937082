// Loaded into every server of the benchmark before its own code: tells the driver what the process has used so far, and ends
// the process with the driver.
process.on('message', (question) => {
  if (question === 'gc') globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  process.send({ cpuMicroseconds: user + system, memory: process.memoryUsage() });
});
process.on('disconnect', () => process.exit());
process.channel?.unref();
