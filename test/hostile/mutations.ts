/** Lines that are nearly right: valid messages with something broken in them, the same ones in every run. */

const META =
  '"_meta":{"progressToken":7,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}';

const VALID: readonly string[] = [
  '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}',
  '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"name":"Ada"}}}',
  '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"throw"}}',
  '{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"test://one"}}',
  '{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"test://7/x"}}',
  '{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"greet","arguments":{"name":"Ada"}}}',
  '{"jsonrpc":"2.0","id":8,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":""}}}',
  '{"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{"level":"error"}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}',
  '{"jsonrpc":"2.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}',
  `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"name":"Ada"},${META}}}`,
  `{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"ask",${META}}}`,
  `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"ask","requestState":"v1.AAAA","inputResponses":{"x":{"action":"accept"}},${META}}}`,
  `{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{${META}}}`,
  `{"jsonrpc":"2.0","id":"e","method":"tools/list","params":{"cursor":"WyJ0b29scyIsImVjaG8iXQ==",${META}}}`,
];

const ODD: readonly string[] = [
  'null',
  'true',
  '-1',
  '1e999',
  '9007199254740993',
  '""',
  '"__proto__"',
  '"constructor"',
  '[]',
  '{}',
  '{"__proto__":{"polluted":true}}',
  '"\\ud800"',
  '"\\u0000"',
  `"${'x'.repeat(3000)}"`,
  '['.repeat(200) + ']'.repeat(200),
];

/** A source of numbers from 0 to 1 that is the same for the same seed. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** One broken line, without its line end. */
export function mutated(next: () => number): Buffer {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const line = pick(VALID);
  const at = Math.floor(next() * line.length);
  const kinds: readonly (() => string | Buffer)[] = [
    () => line,
    () => line.slice(0, at),
    () => line.slice(at),
    () => `${line.slice(0, at)}${pick(ODD)}${line.slice(at)}`,
    () => line.replace(/:("[^"]*"|\d+)/g, (value) => (next() < 0.3 ? `:${pick(ODD)}` : value)),
    () =>
      line.replace(/"(\w+)":/g, (key, name: string) =>
        next() < 0.2 ? `"${pick(['__proto__', name.toUpperCase(), 'id'])}":` : key,
      ),
    () => `[${line},${pick(VALID)}]`,
    () => `${line}${line}`,
    () => {
      const bytes = Buffer.from(line);
      bytes[at] = Math.floor(next() * 256);
      return bytes;
    },
  ];
  // A line end inside makes two lines, which is as good.
  return Buffer.from(pick(kinds)());
}
