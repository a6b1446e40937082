import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Telling, type Told } from './telling.ts';

type Event = Told<string>['event'];

const TOOLS: Event = { type: 'tools' };
const PROMPTS: Event = { type: 'prompts' };
const updated = (uri: string): Event => ({ type: 'resource', uri });

/** Tells one listener, or those named, and keeps who heard what. */
class Heard {
  readonly #heard: string[] = [];
  /** Runs each time somebody is told. */
  onTold: (event: Event) => void = () => {};
  readonly telling: Telling<string> = new Telling(({ event, listeners }) => {
    const what = `${event.type === 'resource' ? event.uri : event.type}${event.resync ? ' again' : ''}`;
    for (const name of listeners) this.#heard.push(name === 'one' ? what : `${name}: ${what}`);
    this.onTold(event);
  });

  tell(event: Event, ...listeners: string[]): void {
    this.telling.tell({ event, listeners: listeners.length > 0 ? listeners : ['one'] });
  }

  often(times: number, event: Event): void {
    for (let n = 0; n < times; n++) this.tell(event);
  }

  /** What was heard since the last time. */
  news(): string[] {
    return this.#heard.splice(0);
  }
}

const ten = (what: string): string[] => Array(10).fill(what);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the same event', () => {
  test('is told at once, ten times in a quarter of a second, and no timer runs', () => {
    const heard = new Heard();
    heard.often(10, TOOLS);
    expect(heard.news()).toEqual(ten('tools'));
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that comes 20,000 times is told ten times at once, and once more when the time is over', () => {
    const heard = new Heard();
    heard.often(20_000, TOOLS);
    expect(heard.news()).toEqual(ten('tools'));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(249);
    expect(heard.news()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(heard.news()).toEqual(['tools']);
    vi.advanceTimersByTime(10_000);
    expect([heard.news(), vi.getTimerCount()]).toEqual([[], 0]);
  });

  test('that never stops coming is told at most ten times in each quarter of a second', () => {
    const heard = new Heard();
    for (let ms = 0; ms < 1000; ms++) {
      heard.often(5, TOOLS);
      vi.advanceTimersByTime(1);
    }
    const { length } = heard.news();
    expect(length).toBeGreaterThanOrEqual(40);
    expect(length).toBeLessThanOrEqual(41);
  });

  test('is told at once again after a while, also by a clock that was set back', () => {
    const heard = new Heard();
    heard.often(10, TOOLS);
    vi.advanceTimersByTime(250);
    heard.often(10, TOOLS);
    vi.setSystemTime(0);
    heard.often(10, TOOLS);
    expect(heard.news()).toHaveLength(30);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is the same list or the same URI, and no list is a URI', () => {
    const heard = new Heard();
    for (const event of [TOOLS, PROMPTS, updated('tools'), updated('x:/a'), updated('x:/b')]) heard.often(10, event);
    expect(heard.news()).toHaveLength(50);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('what is held', () => {
  test('is told in the order of arrival, with what came after it', () => {
    const heard = new Heard();
    heard.often(11, TOOLS);
    heard.tell(PROMPTS);
    heard.tell(updated('x:/a'));
    heard.often(11, TOOLS);
    heard.tell(PROMPTS);
    expect(heard.news()).toEqual(ten('tools'));
    vi.advanceTimersByTime(250);
    expect(heard.news()).toEqual(['tools', 'prompts', 'x:/a']);
  });

  test('stays before what a listener makes happen meanwhile', () => {
    const heard = new Heard();
    heard.often(11, TOOLS);
    heard.tell(PROMPTS);
    heard.news();
    heard.onTold = ({ type }) => {
      if (type === 'tools') heard.tell(updated('x:/a'));
    };
    vi.advanceTimersByTime(250);
    expect(heard.news()).toEqual(['tools', 'prompts', 'x:/a']);
  });

  test('says to read again if any of the same said so', () => {
    const heard = new Heard();
    heard.often(11, TOOLS);
    heard.tell({ ...TOOLS, resync: true });
    heard.tell(TOOLS);
    heard.news();
    vi.advanceTimersByTime(250);
    expect(heard.news()).toEqual(['tools again']);
  });

  test('is told once to each whom any of the same concerned', () => {
    const heard = new Heard();
    heard.often(10, TOOLS);
    heard.news();
    heard.tell(TOOLS, 'a');
    heard.tell(TOOLS, 'a', 'b');
    vi.advanceTimersByTime(250);
    expect(heard.news()).toEqual(['a: tools', 'b: tools']);
  });

  test('is forgotten when told to, and leaves no timer', () => {
    const heard = new Heard();
    heard.often(11, TOOLS);
    heard.telling.clear();
    expect(vi.getTimerCount()).toBe(0);
    heard.news();
    heard.tell(TOOLS);
    expect(heard.news()).toEqual(['tools']);
  });
});

test('a listener that makes the same happen again does not go on for ever', () => {
  const heard = new Heard();
  heard.onTold = () => heard.tell(TOOLS);
  heard.tell(TOOLS);
  expect(heard.news()).toEqual(ten('tools'));
  heard.telling.clear();
});
