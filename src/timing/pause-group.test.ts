import { describe, expect, test } from 'vitest';
import { PauseGroup, type PauseTimer } from './pause-group.ts';

/** A timer that records its calls. */
function timer(): { pause: PauseTimer; seen: string[] } {
  const seen: string[] = [];
  const pause = (): (() => void) => {
    seen.push('pause');
    return () => seen.push('resume');
  };
  return { pause, seen };
}

describe('the timers of a pause group', () => {
  test('are paused from the first hold to the end of the last', () => {
    const group = new PauseGroup();
    const [one, other] = [timer(), timer()];
    group.add(one.pause);
    group.add(other.pause);
    const first = group.hold();
    const second = group.hold();
    first();
    expect([one.seen, other.seen]).toEqual([['pause'], ['pause']]);
    second();
    expect([one.seen, other.seen]).toEqual([
      ['pause', 'resume'],
      ['pause', 'resume'],
    ]);
    group.hold()();
    expect(one.seen).toEqual(['pause', 'resume', 'pause', 'resume']);
  });

  test('that are added during a hold are paused at once', () => {
    const group = new PauseGroup();
    const go = group.hold();
    const { pause, seen } = timer();
    group.add(pause);
    expect(seen).toEqual(['pause']);
    go();
    expect(seen).toEqual(['pause', 'resume']);
  });

  test('that were removed are not paused', () => {
    const group = new PauseGroup();
    const [before, during] = [timer(), timer()];
    group.add(before.pause)();
    const forget = group.add(during.pause);
    const go = group.hold();
    forget();
    go();
    expect(before.seen).toEqual([]);
    expect(during.seen).toEqual(['pause']);
  });

  test('continue once when a hold is ended twice', () => {
    const group = new PauseGroup();
    const { pause, seen } = timer();
    group.add(pause);
    const [first, second] = [group.hold(), group.hold()];
    first();
    first();
    expect(seen).toEqual(['pause']);
    second();
    expect(seen).toEqual(['pause', 'resume']);
  });
});
