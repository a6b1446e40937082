// A server program that only passes its standard input and output on to the fuzzer, at the port in its first argument.
import { connect } from 'node:net';

const socket = connect(Number(process.argv[2]), '127.0.0.1');
socket.on('error', () => process.exit());
process.stdin.pipe(socket).pipe(process.stdout);
process.stdin.on('end', () => process.exit());
socket.on('end', () => process.exit());
