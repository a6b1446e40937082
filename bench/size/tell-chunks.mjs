// Loaded into programs that are bundled: writes down, when they end, which of their chunks were loaded.
import { writeFileSync } from 'node:fs';

process.on('exit', () => writeFileSync(process.env.BENCH_CHUNKS, JSON.stringify(globalThis.benchChunks ?? [])));
