import { afterEach, expect, test, vi } from 'vitest';
import { core } from 'zod';
import { requireFromApp } from './require-from-app.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('the copy of a module that the program has loaded is returned', () => {
  expect(requireFromApp('zod/v4/core')?.toJSONSchema).toBe(core.toJSONSchema);
});

test('a module that is not installed is undefined', () => {
  expect(requireFromApp('no-such-module-anywhere')).toBeUndefined();
});

test('in a runtime that cannot load modules by name, every module is undefined', () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  expect(requireFromApp('zod/v4/core')).toBeUndefined();
});
