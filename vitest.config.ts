import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (name: string): string => fileURLToPath(new URL(`./src/${name}.ts`, import.meta.url));
const entry = (name: string): string => source(`entries/${name}`);

export default defineConfig({
  resolve: {
    alias: [
      { find: /^mcpp$/, replacement: entry('mcpp') },
      {
        find: /^mcpp\/(server|client|stdio|http|fetch|websocket|testing|auth\/client|auth\/server|extensions\/(?:tasks|apps|skills))$/,
        replacement: entry('$1'),
      },
      { find: '#child-transport', replacement: source('transport/stdio/child') },
      { find: '#send-request', replacement: source('transport/http/client/send-node') },
      { find: '#web-socket', replacement: source('transport/websocket/node-socket') },
      { find: '#web-socket-server', replacement: source('transport/websocket/node-server') },
      { find: '#auth-send', replacement: source('auth/client/node-send') },
      { find: '#auth-browser', replacement: source('auth/client/node-browser') },
      { find: '#auth-file-store', replacement: source('auth/client/node-file-store') },
      { find: '#skill-folder', replacement: source('extensions/skills/node-folder') },
    ],
  },
  test: {
    globalSetup: ['test/build.setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Many tests wait for other processes, so there is work for one more than would be used.
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/*.test.mjs', 'bench/{,compare/}*.test.mjs'],
          exclude: ['test/alone/**', 'test/hostile/bounds/**'],
          sequence: { groupOrder: 0 },
        },
      },
      // What promises something within a time needs the machine to itself, so it waits for the others.
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/alone/**/*.test.ts', 'test/hostile/bounds/**/*.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
