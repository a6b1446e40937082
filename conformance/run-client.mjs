// What the suite starts as the client: waits for its turn, runs the client under test, and tells how it ended. The suite
// starts all clients at once and, for a set of scenarios, does not care how they end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

const CLIENT_MS = 30_000;

const {
  MCPP_CONFORMANCE_TURNS: port,
  MCPP_CONFORMANCE_CLIENT: client,
  MCP_CONFORMANCE_SCENARIO: scenario,
} = process.env;
const turns = connect(Number(port), '127.0.0.1');
turns.setEncoding('utf8');
turns.write(`${scenario}\n`);
const [word] = await once(turns, 'data');
let outcome = 'skipped';
if (word === 'go\n') {
  const child = spawn(process.execPath, [client, process.argv.at(-1)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: CLIENT_MS,
    killSignal: 'SIGKILL',
  });
  const [code, signal] = await once(child, 'exit');
  outcome = signal ? `${signal} (after ${CLIENT_MS} ms it is killed)` : String(code);
}
turns.end(`${outcome}\n`);
