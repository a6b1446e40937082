// A request over stdin whose answer comes after any number of notifications.

const NEWLINE = 10;
// Whether a line is an answer shows in so many of its first characters.
const HEAD = 200;
const IS_ANSWER = /"(?:result|error)":/;

/** Sends a line and waits for its answer. Gives how many lines came before it, and in how many seconds. */
export function burst(child, line) {
  const { stdin, stdout } = child;
  return new Promise((resolve, reject) => {
    let lines = 0;
    let head = '';
    const started = performance.now();
    const onData = (chunk) => {
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
      const start = chunk.length > 1 ? chunk.lastIndexOf(NEWLINE, chunk.length - 2) + 1 : 0;
      if (start > 0) head = '';
      if (head.length < HEAD) head += chunk.latin1Slice(start, Math.min(start + HEAD, chunk.length));
      if (chunk.at(-1) !== NEWLINE) return;
      if (IS_ANSWER.test(head)) {
        stop();
        resolve({ arrived: lines - 1, seconds: (performance.now() - started) / 1000 });
      }
      head = '';
    };
    const onExit = () => {
      stop();
      reject(new Error('The server ended'));
    };
    const stop = () => {
      stdout.off('data', onData);
      stdout.pause();
      child.off('exit', onExit);
    };
    stdout.on('data', onData);
    stdout.resume();
    child.once('exit', onExit);
    stdin.write(line);
  });
}
