import { describe, expect, test } from 'vitest';
import { EventParser, type ServerEvent } from './event-parser.ts';

/** What a stream says that arrives in these pieces. */
function read(pieces: readonly (string | Uint8Array)[], maxBytes = 1000): { events: ServerEvent[]; retries: number[] } {
  const events: ServerEvent[] = [];
  const retries: number[] = [];
  const parser = new EventParser(
    {
      onEvent: (event) => events.push(event),
      onRetry: (retry) => retries.push(retry),
      onFault: (error) => {
        throw error;
      },
    },
    maxBytes,
  );
  for (const piece of pieces) void parser.push(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
  return { events, retries };
}

describe('a stream of events', () => {
  const TEXT =
    '\uFEFF: hello\n\nid: 1\nevent: endpoint\ndata: /m\n\nretry: 500\r\ndata: {"a":"ü世😀"}\r\n\r\nid\ndata: x\ndata: y\n\nnonsense: 1\nretry: x\ndata:\n\n';
  const EVENTS = [
    { type: 'endpoint', data: '/m', id: '1' },
    { type: 'message', data: '{"a":"ü世😀"}', id: undefined },
    { type: 'message', data: 'x\ny', id: '' },
    { type: 'message', data: '', id: undefined },
  ];

  test('is read the same however it is cut', () => {
    const bytes = new TextEncoder().encode(TEXT);
    expect(read([bytes])).toEqual({ events: EVENTS, retries: [500] });
    expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual({ events: EVENTS, retries: [500] });
    for (let at = 0; at <= bytes.length; at++) {
      expect(read([bytes.subarray(0, at), bytes.subarray(at)]).events).toEqual(EVENTS);
    }
  });

  test('may have any number of keep-alives between two events', () => {
    const pieces = [...Array.from({ length: 20_000 }, () => ': \n\n'), 'data: x\n\n'];
    expect(read(pieces, 100).events).toEqual([{ type: 'message', data: 'x', id: undefined }]);
  });

  test('may hold an event of just so many bytes, and none of one more', () => {
    const event = (length: number): string => `data: ${'x'.repeat(length)}\n\n`;
    const tooLong = 'The server sent an event of more than 100 bytes (option "maxResponseBytes")';
    expect(read([event(100)], 100).events).toHaveLength(1);
    expect(read([event(100).slice(0, 60), event(100).slice(60)], 100).events).toHaveLength(1);
    expect(read([`data: ${'世'.repeat(33)}\n\n`], 100).events).toHaveLength(1);
    expect(() => read([`data: ${'世'.repeat(34)}\n\n`], 100)).toThrow(tooLong);
    expect(() => read([event(101)], 100)).toThrow(tooLong);
    expect(() => read([event(200).slice(0, 150)], 100)).toThrow(tooLong);
    expect(() =>
      read(
        Array.from({ length: 100 }, () => 'data: 01234\n'),
        100,
      ),
    ).toThrow(tooLong);
    expect(() => read([`:${'x'.repeat(200)}`], 100)).toThrow(tooLong);
  });

  test('may not have lines without content for ever: each of them takes memory until the event ends', () => {
    const lines = 'data:\n'.repeat(20_000);
    expect(() => read([lines, lines], 60_000)).toThrow('an event of more than 60000 bytes');
    expect(read([`:${'x'.repeat(9998)}\n`.repeat(20), 'data: 1\n\n'], 10_000).events).toHaveLength(1);
  });

  test('is no stream if it is no UTF-8', () => {
    expect(() => read([Uint8Array.of(0x64, 0xff, 0x0a)])).toThrow('not valid UTF-8');
  });
});
