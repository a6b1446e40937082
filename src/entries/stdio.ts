/** `mcpp/stdio`: serve a process's standard input and output. */

export { type StdioOptions, serveStdio } from '../transport/stdio/serve.ts';
