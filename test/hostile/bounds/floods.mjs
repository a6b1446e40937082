// What a peer can send a megabyte of: the text of one message, by name.

const MEGABYTE = 1_000_000;

/** Messages that are repeated. */
export const REPEATED = {
  'text that is not JSON': 'x',
  'an opening brace': '{',
  'malformed braces': '{x}',
  'malformed JSON as long as a message': `{${'x'.repeat(28)}}`,
  'malformed JSON full of member names': `{${'"id":'.repeat(32)}}`,
  'malformed JSON that looks like a response': '{"id":1,"result":{},}',
  'an empty object': '{}',
  'an object with an id': '{"id":1}',
  'an empty array': '[]',
  'an array of numbers': '[1]',
  'an array of 100 numbers': `[${Array.from({ length: 100 }, () => 1)}]`,
  'an empty string': '""',
  'a blank line': '',
  'white space': ' ',
  'a notification': '{"jsonrpc":"2.0","method":"x"}',
  'a notification after unreadable text': 'x\n{"jsonrpc":"2.0","method":"x"}',
  'a change of the tools': '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
  'a cancellation': '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}',
  'a response nobody waits for': '{"jsonrpc":"2.0","id":"no","result":{}}',
  'an error without an id': '{"jsonrpc":"2.0","error":{"code":1,"message":""}}',
  'an unreadable response nobody waits for': '{"jsonrpc":"2.0","id":"no","result":1}',
  'a request of an unknown method': '{"jsonrpc":"2.0","id":"r","method":"x"}',
  'a ping': '{"jsonrpc":"2.0","id":"r","method":"ping"}',
};

/** Messages that are one megabyte long. */
export const LONG = {
  'a line of opening braces': '{'.repeat(MEGABYTE),
  'a line of opening brackets': '['.repeat(MEGABYTE),
  'white space in front of an object': `${' '.repeat(MEGABYTE)}{}`,
  'a line of white space': ' '.repeat(MEGABYTE),
  'a line of quotes': `{${'"'.repeat(MEGABYTE)}}`,
  'a line of backslashes': `{"${'\\'.repeat(MEGABYTE)}"}`,
  'nested arrays': `${'['.repeat(MEGABYTE / 2)}${']'.repeat(MEGABYTE / 2)}`,
  'an array of 500,000 zeros': `[${'0,'.repeat(MEGABYTE / 2)}0]`,
};

/** A megabyte of lines. */
export function linesOf(name) {
  const long = LONG[name];
  if (long !== undefined) return `${long}\n`;
  const line = `${REPEATED[name]}\n`;
  return line.repeat(Math.ceil(MEGABYTE / line.length));
}

/** A megabyte of events. */
export function eventsOf(name) {
  const long = LONG[name];
  if (long !== undefined) return `data:${long}\n\n`;
  const event = REPEATED[name]
    .split('\n')
    .map((line) => `data:${line}\n\n`)
    .join('');
  return event.repeat(Math.ceil(MEGABYTE / event.length));
}

/** A megabyte of WebSocket frames. Those of a client are masked, with zeros. */
export function framesOf(name, isMasked) {
  const long = LONG[name];
  if (long !== undefined) return frame(long, isMasked);
  const frames = Buffer.concat(REPEATED[name].split('\n').map((text) => frame(text, isMasked)));
  return Buffer.concat(Array.from({ length: Math.ceil(MEGABYTE / frames.length) }, () => frames));
}

function frame(text, isMasked) {
  const payload = Buffer.from(text);
  const mask = isMasked ? 0x80 : 0;
  const { length } = payload;
  let head;
  if (length < 126) head = Buffer.from([0x81, mask | length]);
  else if (length < 65_536) head = Buffer.from([0x81, mask | 126, length >> 8, length & 255]);
  else {
    head = Buffer.alloc(10);
    head.set([0x81, mask | 127]);
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0), payload]);
}
