// Streams that are opened and left open.
import { connect } from 'node:net';

/** Bytes of a request that has no body. */
export function requestWithoutBody(method, headers) {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} /mcp HTTP/1.1\r\n${lines.join('')}\r\n`);
}

/** Opens a stream for each of these requests, on a connection of its own; the function ends them all. */
export async function openStreams(port, requests) {
  const open = [];
  const close = () => {
    for (const stream of open) stream.destroy();
  };
  try {
    for (const bytes of requests) open.push(await openStream(port, bytes));
    return close;
  } catch (error) {
    close();
    throw error;
  }
}

/** Resolves when the server has begun to answer with an event stream. */
function openStream(port, bytes) {
  const socket = connect({ port, host: '127.0.0.1' });
  return new Promise((resolve, reject) => {
    const fail = (error) => {
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(() => fail(new Error('The server opens no stream')), 10_000);
    socket.once('data', (chunk) => {
      clearTimeout(timer);
      const head = chunk.toString('latin1', 0, 1000);
      if (!/^HTTP\/1\.1 200/.test(head) || !/text\/event-stream/i.test(head)) fail(new Error(`It answered ${head}`));
      socket.resume();
      resolve(socket);
    });
    socket.on('error', fail);
    socket.write(bytes);
  });
}
