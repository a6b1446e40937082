/** Lines that are nearly right: valid messages with something broken in them, the same ones in every run. */

import type { Random } from '../../fuzz/random.mjs';

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

/** One broken line, without its line end. */
export function brokenLine(random: Random): Buffer {
  const line = random.pick(VALID);
  const at = random.below(line.length);
  const kinds: readonly (() => string | Buffer)[] = [
    () => line,
    () => line.slice(0, at),
    () => line.slice(at),
    () => `${line.slice(0, at)}${random.pick(ODD)}${line.slice(at)}`,
    () => line.replace(/:("[^"]*"|\d+)/g, (value) => (random.chance(0.3) ? `:${random.pick(ODD)}` : value)),
    () =>
      line.replace(/"(\w+)":/g, (key, name: string) =>
        random.chance(0.2) ? `"${random.pick(['__proto__', name.toUpperCase(), 'id'])}":` : key,
      ),
    () => `[${line},${random.pick(VALID)}]`,
    () => `${line}${line}`,
    () => {
      const bytes = Buffer.from(line);
      bytes[at] = random.below(256);
      return bytes;
    },
  ];
  // A line end inside makes two lines, which is as good.
  return Buffer.from(random.pick(kinds)());
}
