// How clients start the floor server.
import { fileURLToPath } from 'node:url';

export const FLOOR = { command: process.execPath, args: [fileURLToPath(new URL('../floor/raw.mjs', import.meta.url))] };
