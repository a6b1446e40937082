// Load over stdin and stdout: lines that were made before go in, and of what comes out only the ends of lines are counted.
import { driverCost } from './cost.mjs';
import { Latencies } from './latencies.mjs';

const NEWLINE = 10;
const MOST = { lines: 4096, bytes: 16 * 2 ** 20 };

/**
 * Sends lines to a child, with at most `window` of them unanswered, until `milliseconds` are over or `count` were answered.
 * `lineFor(number)` makes each, with its newline; thousands of small ones, fewer of large ones, which are sent again and
 * again. Gives how many were answered, in how many seconds, how long each took (the first answer is taken for that of the
 * first line), and what the driver itself has cost.
 */
export function load(
  child,
  { count = Number.POSITIVE_INFINITY, milliseconds = Number.POSITIVE_INFINITY, window, lineFor },
) {
  const latencies = new Latencies();
  const lines = new Lines(Math.min(count, MOST.lines), window, lineFor);
  const sentAt = new Float64Array(window);
  // Refilled when half of it is answered: otherwise a server that writes line by line makes the driver do so, too.
  const low = window >> 1;
  let sent = 0;
  let answered = 0;
  return new Promise((resolve, reject) => {
    const send = (now) => {
      const number = Math.min(count - sent, window - (sent - answered));
      for (let index = sent; index < sent + number; index++) sentAt[index % window] = now;
      lines.write(child.stdin, sent, number);
      sent += number;
    };
    const stop = listen(child, reject, (chunk) => {
      const now = performance.now();
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
        latencies.add(now - sentAt[answered++ % window]);
      }
      const isOver = sent >= count || now >= end;
      if (!isOver && sent - answered <= low) send(now);
      else if (isOver && answered >= sent) finish();
    });
    const finish = () => {
      stop();
      const seconds = (performance.now() - started) / 1000;
      resolve({ answered, seconds, latencies, driverMicroseconds: cost() });
    };
    const cost = driverCost();
    const started = performance.now();
    const end = started + milliseconds;
    send(started);
  });
}

/** Sends one message and gives the one with its id. */
export function ask(child, message) {
  return new Promise((resolve, reject) => {
    let text = '';
    const decoder = new TextDecoder();
    const stop = listen(child, reject, (chunk) => {
      const lines = `${text}${decoder.decode(chunk, { stream: true })}`.split('\n');
      text = lines.pop();
      const answer = lines.map((line) => JSON.parse(line)).find(({ id }) => id === message.id);
      if (!answer) return;
      stop();
      resolve(answer);
    });
    tell(child, message);
  });
}

/** Sends a message that has no answer. */
export function tell(child, message) {
  child.stdin.write(`${JSON.stringify(message)}\n`);
}

/** Hears what the child writes, until the function that is given is called, or the child ends, which rejects. */
function listen(child, reject, onData) {
  const { stdout } = child;
  const stop = () => {
    stdout.off('data', onData);
    stdout.pause();
    child.off('exit', onExit);
  };
  const onExit = () => {
    stop();
    reject(new Error('The server ended'));
  };
  stdout.on('data', onData);
  stdout.resume();
  child.once('exit', onExit);
  return stop;
}

/** Lines one behind the other in one buffer, so that any number of them is written without copying. */
class Lines {
  #bytes;
  #starts = [0];
  #count = 0;

  /** `most` lines, or as many as are not too large together, but as many as are under way at a time. */
  constructor(most, window, lineFor) {
    const all = [];
    while (this.#count < most && (this.#count < window || this.#starts[this.#count] < MOST.bytes)) {
      const line = Buffer.from(lineFor(this.#count));
      all.push(line);
      this.#starts.push(this.#starts[this.#count++] + line.length);
    }
    this.#bytes = Buffer.concat(all);
  }

  /** Writes `number` lines, beginning with the one that is `first` in the endless row of them. */
  write(stream, first, number) {
    for (let from = first; from < first + number; ) {
      const index = from % this.#count;
      const some = Math.min(first + number - from, this.#count - index);
      stream.write(this.#bytes.subarray(this.#starts[index], this.#starts[index + some]));
      from += some;
    }
  }
}
