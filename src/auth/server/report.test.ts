import { afterEach, expect, test, vi } from 'vitest';
import { reportTo } from './report.ts';

afterEach(() => void vi.restoreAllMocks());

test('without somebody to tell it is a line on stderr', () => {
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
  reportTo()(new Error('The keys could not be fetched'));
  expect(stderr.mock.calls).toEqual([['mcpp: The keys could not be fetched']]);
});

test('the same is not told again and again', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const heard: string[] = [];
  const report = reportTo(({ message }) => void heard.push(message));
  for (const message of ['a', 'a', 'b', 'b']) report(new Error(message));
  vi.setSystemTime(Date.now() + 3_600_000);
  report(new Error('a'));
  vi.advanceTimersByTime(10_001);
  report(new Error('b'));
  vi.useRealTimers();
  expect(heard).toEqual(['a', 'b', 'b']);
});

test('messages that alternate are told once each', () => {
  const heard: string[] = [];
  const report = reportTo(({ message }) => void heard.push(message));
  for (let n = 0; n < 50; n++) report(new Error(n % 2 ? 'a' : 'b'));
  expect(heard).toEqual(['b', 'a']);
});

test('control characters do not reach stderr', () => {
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
  reportTo()(new Error('a\u001b[2J\nmcpp: forged\u202e'));
  expect(stderr.mock.calls).toEqual([['mcpp: a\\u{1b}[2J\\u{a}mcpp: forged\\u{202e}']]);
});

test('who fails while being told does no harm', async () => {
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
  reportTo(() => {
    throw new Error('thrown');
  })(new Error('a'));
  reportTo((async () => {
    throw new Error('rejected');
  }) as () => void)(new Error('b'));
  await vi.waitFor(() => expect(stderr.mock.calls).toEqual([['mcpp: thrown'], ['mcpp: rejected']]));
});
