/** `mcpp/stdio`: serves over stdin and stdout of this process. */

export { type StdioOptions, serveStdio } from '../transport/stdio/serve.ts';
