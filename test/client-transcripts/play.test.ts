import { expect, test } from 'vitest';
import { type Conversation, parseTranscript } from './parse.ts';
import { play } from './play.ts';

function conversation(...lines: readonly string[]): Conversation {
  const [parsed] = parseTranscript('inline', ['## A conversation', ...lines].join('\n'));
  if (!parsed) throw new Error('There is no conversation');
  return parsed;
}

const PING = ['do ping', '> {"jsonrpc":"2.0","id":"<$id>","method":"ping","params":"<any>"}'];
const PONG = '< {"jsonrpc":"2.0","id":"<$id>","result":{}}';

test('a conversation that goes as it is written is played to its end', async () => {
  await play(conversation('connect', ...PING, PONG, '='), '2025-11-25');
});

test.each<[what: string, lines: string[], fault: RegExp]>([
  ['a greeting', ['connect {"roots":{}}'], /capabilities has no member "roots"/],
  ['a method', ['connect', 'do ping', '> {"jsonrpc":"2.0","id":2,"method":"pong","params":"<any>"}'], /"pong"/],
  ['a member', ['connect', 'do ping', '> {"jsonrpc":"2.0","id":2,"method":"ping"}'], /"params" too many/],
  ['an id', ['connect', 'do ping', '> {"jsonrpc":"2.0","id":7,"method":"ping","params":"<any>"}'], /message\.id/],
  ['a message that is never sent', ['connect', '> {"jsonrpc":"2.0","method":"x"}'], /the client says nothing/],
  ['a message that nobody expects', ['connect', 'do ping', 'nothing'], /says what it should not: .*"method":"ping"/],
  ['the same at the end', ['connect', 'do ping'], /says what it should not/],
  ['a call of which nothing is said', ['connect', ...PING, PONG], /the call of line 3 gives/],
  ['a call that does not end', ['connect', ...PING, '='], /the call of line 3 does not end/],
  ['a call that fails', ['connect', 'do watch "nowhere"', '='], /the call failed: .*TypeError/],
  ['a call that does not fail', ['connect', ...PING, PONG, '! {}'], /the call did not fail/],
  ['an error', ['connect', 'do watch "nowhere"', '! {"name":"RpcError"}'], /error\.name/],
  ['a result', ['connect', ...PING, PONG, '= {}'], /expected \{\}, got undefined/],
  ['a result too many', ['connect', 'do start "ping"', PING[1] ?? '', PONG, '='], /the call gives/],
  [
    'something told',
    ['connect', '< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}'],
    /tells what is not expected/,
  ],
  ['something that is not told', ['connect', '* log {}'], /the client tells nothing/],
  [
    'a message of the server that breaks the schema',
    ['connect', '< {"jsonrpc":"2.0","id":1,"method":"dance"}'],
    /breaks the schema/,
  ],
  [
    'a message marked as wrong that is not',
    ['connect', '<! {"jsonrpc":"2.0","id":1,"method":"ping"}'],
    /nothing against it/,
  ],
  [
    'a message of the client that breaks the schema',
    ['connect', 'do request "tools/call", {}', '> "<any>"'],
    /the client's message breaks the protocol/,
  ],
  ['a call there is none of', ['connect', 'do dance', '='], /there is no call "dance"/],
  ['a call without a connection', ['do ping'], /has not connected/],
])('a conversation that differs in %s is not', async (_what, lines, fault) => {
  await expect(play(conversation(...lines), '2025-11-25', { patience: 50 })).rejects.toThrow(fault);
});

test('the place of the difference is named', async () => {
  await expect(play(conversation('connect', 'nothing', 'do ping', 'nothing'), '2025-06-18')).rejects.toThrow(
    /^inline:5 \[2025-06-18\]: /,
  );
});

test('a line that means nothing is refused', () => {
  expect(() => conversation('connect', '? {}')).toThrow('inline:3: not a line of a client transcript: ? {}');
});
