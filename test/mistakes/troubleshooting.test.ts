/** Mistakes of users and their messages. `docs/troubleshooting.md` is made of the same table: `vitest -u` writes it. */

import { describe, expect, test } from 'vitest';
import { AUTHORIZATION } from './authorization.ts';
import { CONNECTING } from './connecting.ts';
import type { Mistake } from './mistake.ts';
import { pageOf } from './page.ts';
import { REGISTRATION } from './registration.ts';
import { RETURNS } from './returns.ts';
import { SERVING } from './serving.ts';

const SECTIONS: ReadonlyMap<string, readonly Mistake[]> = new Map([
  ['Registering tools, resources and prompts', REGISTRATION],
  ['Returning and throwing in handlers', RETURNS],
  ['Serving', SERVING],
  ['Connecting', CONNECTING],
  ['Authorization', AUTHORIZATION],
]);

// `...` stands for any text; all else is compared as it is.
function patternOf(message: string): RegExp {
  const parts = message.split('...').map((part) => part.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}\\s*$`);
}

describe.each([...SECTIONS])('%s', (_, mistakes) => {
  test.each([...mistakes])('$message', async ({ message, seen }) => {
    const text = await seen();
    expect(text).toMatch(patternOf(message));
    expect(text).not.toMatch(/~internals|\bundefined\b|\[object |Cannot read prop/);
  });
});

test('docs/troubleshooting.md has all of them', async () => {
  await expect(pageOf(SECTIONS)).toMatchFileSnapshot('../../docs/troubleshooting.md');
});
