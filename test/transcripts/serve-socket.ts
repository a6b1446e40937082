/** Serves every server of the transcripts on a port of its own; writes the ports to stdout, as JSON. */

import { type AddressInfo, createServer } from 'node:net';
import { serveStdio } from 'mcpp/stdio';
import { makeServer, SERVERS } from './servers.ts';

const ports = SERVERS.map(
  (name) =>
    new Promise<[string, number]>((resolve) => {
      const listener = createServer((socket) => {
        socket.setNoDelay();
        // Whoever hangs up in the middle of an answer has heard enough.
        socket.on('error', () => {});
        void serveStdio(makeServer(name), { input: socket, output: socket, exit: false });
      });
      listener.listen(0, '127.0.0.1', () => resolve([name, (listener.address() as AddressInfo).port]));
    }),
);
process.stdout.write(`${JSON.stringify(Object.fromEntries(await Promise.all(ports)))}\n`);
process.stdin.resume().on('end', () => process.exit());
