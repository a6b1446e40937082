// WebSocket frames as bytes (RFC 6455), valid and not.

export const Opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

/** A frame of a client. A mask of zeros changes nothing. */
export function frame(opcode, payload, { fin = true, masked = true, reserved = 0, length = payload.length } = {}) {
  const first = (fin ? 0x80 : 0) | reserved | opcode;
  const mask = masked ? 0x80 : 0;
  let head;
  if (length < 126) head = Buffer.from([first, mask | length]);
  else if (length < 65_536) head = Buffer.from([first, mask | 126, length >> 8, length & 255]);
  else {
    head = Buffer.alloc(10);
    head[0] = first;
    head[1] = mask | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, Buffer.alloc(masked ? 4 : 0), payload]);
}

/** A text message in one or several frames. */
export function textFrames(payload, borders, options) {
  const ends = [...borders, payload.length];
  return ends.map((end, index) => {
    const start = index === 0 ? 0 : ends[index - 1];
    const opcode = index === 0 ? Opcode.text : Opcode.continuation;
    return frame(opcode, payload.subarray(start, end), { ...options, fin: index === ends.length - 1 });
  });
}

/** Frames that break the rules, or test them. */
export function oddFrame(random) {
  const some = Buffer.from('{"jsonrpc":"2.0","id":"odd","method":"ping"}');
  return random.pick([
    () => frame(Opcode.binary, some),
    () => frame(Opcode.text, some, { masked: false }),
    () => frame(Opcode.text, some, { reserved: random.pick([0x40, 0x20, 0x10]) }),
    () => frame(random.pick([3, 7, 11, 15]), some),
    () => frame(Opcode.continuation, some),
    () => Buffer.concat([frame(Opcode.text, some, { fin: false }), frame(Opcode.text, some)]),
    () => frame(Opcode.ping, Buffer.alloc(random.pick([0, 125, 126]))),
    () => frame(Opcode.ping, Buffer.alloc(5), { fin: false }),
    () => Buffer.concat(Array(2000).fill(frame(Opcode.ping, Buffer.alloc(125)))),
    () => frame(Opcode.pong, Buffer.alloc(10)),
    () => frame(Opcode.close, Buffer.from(random.pick(['', '03', '03e8', '03ed', '0000', 'ffff', '03e8ff']), 'hex')),
    () => frame(Opcode.text, some, { length: random.pick([2 ** 31, 2 ** 40, 5 * 2 ** 20]) }),
    () =>
      Buffer.concat([
        frame(Opcode.text, Buffer.alloc(0), { fin: false }),
        ...Array(random.pick([10, 5000])).fill(frame(Opcode.continuation, Buffer.alloc(0), { fin: false })),
      ]),
    () => Buffer.from(Array.from({ length: 40 }, () => random.below(256))),
  ])();
}

/** Reads the frames of a server. */
export class FrameReader {
  #buffer = Buffer.alloc(0);
  #parts = [];

  /** The payloads of complete text messages, and the opcodes of control frames. */
  *push(chunk) {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    for (let next = this.#next(); next; next = this.#next()) {
      if (next.opcode >= 8) yield next;
      else {
        this.#parts.push(next.payload);
        if (next.fin) yield { opcode: Opcode.text, payload: Buffer.concat(this.#parts.splice(0)) };
      }
    }
  }

  #next() {
    const [first = 0, second = 0] = this.#buffer;
    const short = second & 0x7f;
    const mask = second & 0x80 ? 4 : 0;
    const size = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (this.#buffer.length < size + mask) return undefined;
    const length =
      short < 126 ? short : short === 126 ? this.#buffer.readUInt16BE(2) : Number(this.#buffer.readBigUInt64BE(2));
    const start = size + mask;
    if (this.#buffer.length < start + length) return undefined;
    const payload = Buffer.from(this.#buffer.subarray(start, start + length));
    for (let at = 0; mask > 0 && at < payload.length; at++) payload[at] ^= this.#buffer[size + (at % 4)];
    this.#buffer = this.#buffer.subarray(start + length);
    return { opcode: first & 15, fin: (first & 0x80) !== 0, payload };
  }
}
