import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const entry = (name: string): string => fileURLToPath(new URL(`./src/entries/${name}.ts`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^mcpp$/, replacement: entry('mcpp') },
      { find: /^mcpp\/(server|client|stdio|testing)$/, replacement: entry('$1') },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/build.setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
