/** Server-sent events, read as a client reads them. */

/** One event, or a comment. */
export interface ServerEvent {
  readonly text: string;
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data?: string;
}

/** The events of a stream; comments, too, because a proxy sees them. */
export async function* eventsIn(chunks: AsyncIterator<Uint8Array>): AsyncGenerator<ServerEvent, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const end = text.indexOf('\n\n');
    if (end >= 0) {
      yield eventOf(text.slice(0, end));
      text = text.slice(end + 2);
      continue;
    }
    const { done, value } = await chunks.next();
    if (done) return undefined;
    text += decoder.decode(value, { stream: true });
  }
}

function eventOf(text: string): ServerEvent {
  const fields = text
    .split('\n')
    .filter((line) => !line.startsWith(':'))
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).replace(/^ /, '')]);
  return { text, ...Object.fromEntries(fields) };
}

/** What a stream says until it ends, without signs of life and without events that only have an id. */
export async function messagesOf(stream: { next(): Promise<ServerEvent | undefined> }): Promise<unknown[]> {
  const messages: unknown[] = [];
  for (let event = await stream.next(); event; event = await stream.next()) {
    if (event.data) messages.push(JSON.parse(event.data));
  }
  return messages;
}

/** The next message of a stream. */
export async function nextMessage(stream: {
  next(): Promise<ServerEvent | undefined>;
}): Promise<Record<string, unknown>> {
  for (let event = await stream.next(); event; event = await stream.next()) {
    if (event.data) return JSON.parse(event.data) as Record<string, unknown>;
  }
  throw new Error('The stream ended without a message');
}
