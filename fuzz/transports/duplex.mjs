// Runs a conversation over a connection that carries messages both ways: stdio, WebSocket, and HTTP+SSE.

import { brokenMessage } from '../conversation.mjs';
import { answerTo, followUp } from '../corpus.mjs';
import { Ledger } from '../ledger.mjs';
import { Random } from '../random.mjs';
import { Fault } from '../received.mjs';

const PING = Buffer.from('{"jsonrpc":"2.0","id":"last","method":"ping"}');

/** How a server's requests are answered, for the case to keep. */
export function answering(random) {
  return { answers: random.pick(['valid', 'valid', 'broken', 'none']), answerSeed: random.below(2 ** 31) };
}

/**
 * Sends the steps, answers the server's requests, and checks that every request is answered. Returns the input: its bytes, and how
 * many valid requests were in it.
 * `link` has `messagesIn(bytes)`, what the server reads in these bytes; `write(bytes, step)`, which gives whether they are owed an
 * answer; `writeRaw(bytes)`, `pause()`, `resume()`, `close()`, `isClosed`; `wasClosed` by the server; `mayClose`, whether what was
 * sent is a reason for that; and calls `onText` with what it receives.
 */
export async function converse({ steps, answers, answerSeed }, link, waitMs) {
  const ledger = new Ledger();
  const random = new Random(answerSeed);
  let fault;
  const send = async (bytes, step) => {
    const reads = link.messagesIn(bytes).map((message) => ledger.sent(message));
    if (await link.write(bytes, step)) for (const read of reads) ledger.owe(read);
  };
  link.onText = (text) => {
    try {
      const { requests, results } = ledger.received(text);
      if (answers === 'none') return;
      const again = results.map(({ request, result }) => followUp(request, result)).filter(Boolean);
      for (const answer of [...requests.map(answerTo), ...again]) {
        const bytes = answers === 'valid' ? Buffer.from(JSON.stringify(answer)) : brokenMessage(answer, random);
        void send(bytes).catch(() => {});
      }
    } catch (error) {
      fault ??= error;
    }
  };
  const isOver = () => fault !== undefined || link.isClosed;
  try {
    for (const step of steps) {
      if (isOver()) break;
      if (step.message) await send(step.message, step);
      else if (step.bytes) link.writeRaw(step.bytes);
      else if (step.pause) link.pause();
      else if (step.resume) link.resume();
      else await ledger.complete(waitMs, isOver);
    }
    link.resume();
    await ledger.complete(waitMs, isOver);
    // Still alive, and done with all that came before.
    if (!link.mayClose && !isOver()) await send(PING);
    await ledger.complete(waitMs, isOver);
  } finally {
    await link.close();
  }
  if (fault) throw fault;
  if (link.wasClosed && !link.mayClose && ledger.unreadable < 1000) throw new Fault('the server closed the connection');
  return { bytes: link.bytes, requests: ledger.requests };
}
