import { afterEach, expect, test, vi } from 'vitest';
import { core } from 'zod';
import { authorsModule } from './authors-module.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('the copy the program has loaded is the copy that is found', () => {
  expect(authorsModule('zod/v4/core')?.toJSONSchema).toBe(core.toJSONSchema);
});

test('what is not installed is not found', () => {
  expect(authorsModule('no-such-module-anywhere')).toBeUndefined();
});

test('a runtime that cannot load modules by name finds nothing', () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  expect(authorsModule('zod/v4/core')).toBeUndefined();
});
