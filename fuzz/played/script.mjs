// What the played server sends in one case: valid replies, of which some are broken.

import { brokenMessage } from '../conversation.mjs';
import { mutatedBytes } from '../mutations.mjs';
import { Random } from '../random.mjs';
import { hostileReply, themedReply } from './hostile-replies.mjs';
import { repliesTo } from './replies.mjs';

const bytes = (message) => Buffer.from(JSON.stringify(message));

/** Messages that nobody asked for. */
const UNASKED = [
  { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'unknown', progress: 1 } },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
  { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
  { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note://1' } },
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'elicitation/create',
    params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
  },
  { jsonrpc: '2.0', id: 'x', method: 'roots/list' },
  { jsonrpc: '2.0', id: 'x', method: 'ping' },
  { jsonrpc: '2.0', id: 999, result: {} },
  { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'no' } },
];

/** Lines that are no messages, as chatty programs print them. */
const NOISE = ['x', 'Listening on port 3000', '\u001b[31mred\u001b[0m', '{', '[]', 'null', '', '7'];

/** The beginning of what is sent, for reports. */
function beginningOf(messages) {
  return messages
    .slice(0, 5)
    .map((message) => message.subarray(0, 1000).toString('latin1'))
    .join('\n');
}

export class Script {
  /** The replies that were broken, in the form of steps. */
  broken = [];
  bytes = 0;
  #one;
  #counts = new Map();

  constructor(one) {
    this.#one = one;
  }

  /**
   * How a request is answered. `messages`: bytes to send, each one message; `isOpen`: no response follows; `hangUp`: the connection
   * ends instead; `transport`: a random source if the transport breaks something itself.
   */
  answer(request) {
    const count = (this.#counts.get(request.method) ?? 0) + 1;
    this.#counts.set(request.method, count);
    const key = `${request.method} ${count}`;
    const { seed, theme, revision } = this.#one;
    const random = new Random(seed).fork(key);
    const replies = repliesTo(request, revision, count);
    const isOpen = replies.at(-1) === undefined;
    const messages = isOpen ? replies.slice(0, -1) : replies;
    if (!this.#breaks(key, random)) return { messages: messages.map(bytes), isOpen };
    const themed = themedReply(theme, messages.at(-1), request, count, new Random(seed).fork(theme));
    const answer = theme
      ? { messages: [...messages.slice(0, -1), themed ?? messages.at(-1)].map(bytes), isOpen }
      : this.#broken(messages, isOpen, request, random);
    this.broken.push({ key, sent: beginningOf(answer.messages) });
    return answer;
  }

  // The beginning of a connection is broken less often, or nothing else would be tried.
  #breaks(key, random) {
    const isOpening = /^(server\/discover|initialize) /.test(key);
    const isChosen = random.chance(isOpening ? 0.1 : 0.5) || this.#one.theme !== undefined;
    return this.#one.steps ? this.#one.steps.some((step) => step.key === key) : isChosen;
  }

  #broken(messages, isOpen, { method }, random) {
    const last = messages.at(-1);
    const kind = random.weighted([
      [
        50,
        () => ({
          messages: messages.map((message) => (random.chance(0.6) ? brokenMessage(message, random) : bytes(message))),
        }),
      ],
      [20, () => ({ messages: [...messages.slice(0, -1), hostileReply(last, method, random) ?? last].map(bytes) })],
      [5, () => ({ messages: [...messages, last].map(bytes) })],
      [
        5,
        () => ({ messages: [...Array(random.pick([1, 20, 500])).fill(random.pick(UNASKED)), ...messages].map(bytes) }),
      ],
      [
        4,
        () => ({
          messages: [
            ...Array(random.pick([10, 2000, 20_000])).fill(Buffer.from(random.pick(NOISE))),
            ...messages.map(bytes),
          ],
        }),
      ],
      [4, () => ({ messages: messages.map((message) => mutatedBytes(bytes(message), random)) })],
      [4, () => ({ messages: [], isOpen: true })],
      [3, () => ({ messages: messages.map(bytes), hangUp: true })],
      [
        3,
        () => ({
          messages: messages.map((message) => bytes({ ...message, id: random.pick([0, 'other', null, 1e300]) })),
        }),
      ],
      [20, () => ({ messages: messages.map(bytes), transport: random })],
    ]);
    return { isOpen, ...kind() };
  }

  count(sent) {
    this.bytes += sent.length;
    return sent;
  }
}
