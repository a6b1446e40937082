import { afterEach, expect, test, vi } from 'vitest';
import { core } from 'zod';
import { requireFromApp } from './require-from-app.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('the copy the program has loaded is the copy that is found', () => {
  expect(requireFromApp('zod/v4/core')?.toJSONSchema).toBe(core.toJSONSchema);
});

test('what is not installed is not found', () => {
  expect(requireFromApp('no-such-module-anywhere')).toBeUndefined();
});

test('a runtime that cannot load modules by name finds nothing', () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  expect(requireFromApp('zod/v4/core')).toBeUndefined();
});
