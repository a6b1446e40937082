import { afterEach, expect, test, vi } from 'vitest';
import { reportTo } from './report.ts';

afterEach(() => void vi.restoreAllMocks());

test('without somebody to tell it is a line on stderr', () => {
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
  reportTo()(new Error('The keys could not be fetched'));
  expect(stderr.mock.calls).toEqual([['mcpp: The keys could not be fetched']]);
});

test('the same is not told again and again', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const heard: string[] = [];
  const report = reportTo(({ message }) => void heard.push(message));
  for (const message of ['a', 'a', 'b', 'b']) report(new Error(message));
  vi.advanceTimersByTime(10_001);
  report(new Error('b'));
  vi.useRealTimers();
  expect(heard).toEqual(['a', 'b', 'b']);
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
