// Every bar of the benchmark: one row each. A figure is always that of mcpp.

const REQUESTS_TO_FLOOR = 'Requests per second, divided by those of the floor.';
const REQUESTS_TO_OFFICIAL = 'Requests per second, divided by those of official v2.';
const REQUESTS_TO_PEER = 'Requests per second, divided by those of the fastest peer.';
const CPU_TO_FLOOR = 'CPU time of the server per request, divided by that of the floor.';
const CALLS_TO_TMCP = 'Calls per second, divided by those of tmcp.';
const CALLS_TO_RAW = 'Calls per second, divided by those of a client written by hand.';
const CALLS_TO_OFFICIAL = 'Calls per second, divided by those of official v2.';
const BYTES_TO_FLOOR = 'Bytes per second, divided by those of the floor.';
const PROGRESS_TO_FLOOR = 'Progress notifications per second, divided by those of the floor.';
const PROGRESS_ARRIVED = 'Share of the progress notifications that arrive.';
const STREAM_TO_FLOOR = 'Heap of an open stream, divided by that of the floor.';
const KEPT = 'Percent of the heap still in use after the streams and sessions have ended.';
const GROWTH = 'CPU time per call at the most expensive size, divided by that at the smallest size.';
const LINE_COST = 'CPU time per byte, divided by that of lines of 1 MB.';
const COLD_START = 'Time from process start to the first tools/list, divided by that of the floor.';
const MEMORY_AT_START = 'Resident memory after the first tools/list, in MB more than bare Node.';
const IMPORT_TIME = 'Run time of a process that imports it, in ms more than bare Node.';
const SERVER_BUNDLE = 'Bundle of the smallest stdio server, minified and gzipped, in KB.';
const ENGINE_CHUNK = 'Chunk of the JSON Schema engine, minified and gzipped, in KB.';
const CLIENT_BUNDLE = 'Bundle of the smallest client, minified and gzipped, in KB.';
const NEW_CPU = 'CPU time per call of the new build, divided by that of the old build.';
const NEW_TIME = 'Elapsed time per call of the new build, divided by that of the old build.';

// Section, mode, measure (by the name that the section gives it), direction, bound, meaning of the measure.
const ROWS = [
  ['http', 'modern-json', 'toFloor', '>=', 0.88, REQUESTS_TO_FLOOR],
  ['http', 'modern-json', 'CPU toFloor', '<=', 1.15, CPU_TO_FLOOR],
  ['http', 'modern-json', 'toOfficial', '>=', 7, REQUESTS_TO_OFFICIAL],
  ['http', 'modern-json', 'toFastestPeer', '>=', 1, REQUESTS_TO_PEER],
  ['http', 'modern-sse', 'toFloor', '>=', 0.75, REQUESTS_TO_FLOOR],
  ['http', 'modern-sse', 'CPU toFloor', '<=', 1.35, CPU_TO_FLOOR],
  ['http', 'modern-sse', 'toOfficial', '>=', 7, REQUESTS_TO_OFFICIAL],
  ['http', 'modern-sse', 'toFastestPeer', '>=', 1, REQUESTS_TO_PEER],
  ['http', 'stateful-json', 'toFloor', '>=', 0.88, REQUESTS_TO_FLOOR],
  ['http', 'stateful-json', 'CPU toFloor', '<=', 1.15, CPU_TO_FLOOR],
  ['http', 'stateful-json', 'toOfficial', '>=', 7, REQUESTS_TO_OFFICIAL],
  ['http', 'stateful-json', 'toFastestPeer', '>=', 1, REQUESTS_TO_PEER],
  ['http', 'stateful-sse', 'toFloor', '>=', 0.75, REQUESTS_TO_FLOOR],
  ['http', 'stateful-sse', 'CPU toFloor', '<=', 1.35, CPU_TO_FLOOR],
  ['http', 'stateful-sse', 'toOfficial', '>=', 7, REQUESTS_TO_OFFICIAL],
  ['http', 'stateful-sse', 'toFastestPeer', '>=', 1, REQUESTS_TO_PEER],
  ['http', 'stateless-json', 'toFloor', '>=', 0.88, REQUESTS_TO_FLOOR],
  ['http', 'stateless-json', 'CPU toFloor', '<=', 1.15, CPU_TO_FLOOR],
  ['http', 'stateless-json', 'toOfficial', '>=', 7, REQUESTS_TO_OFFICIAL],
  ['http', 'stateless-json', 'toFastestPeer', '>=', 1, REQUESTS_TO_PEER],

  ['stdio', '2025-1024', 'toFloor', '>=', 1.2, REQUESTS_TO_FLOOR],
  ['stdio', '2025-1024', 'toOfficial', '>=', 10, REQUESTS_TO_OFFICIAL],
  ['stdio', '2026-1024', 'toFloor', '>=', 1.2, REQUESTS_TO_FLOOR],
  ['stdio', '2026-1024', 'toOfficial', '>=', 10, REQUESTS_TO_OFFICIAL],
  ['stdio', '2025-64', 'toFloor', '>=', 0.82, REQUESTS_TO_FLOOR],
  ['stdio', '2026-64', 'toFloor', '>=', 1.13, REQUESTS_TO_FLOOR],

  ['list', 'stdio', 'toFloor', '>=', 2, REQUESTS_TO_FLOOR],
  ['list', 'stdio', 'toOfficial', '>=', 30, REQUESTS_TO_OFFICIAL],
  ['list', 'http', 'toFloor', '>=', 2, REQUESTS_TO_FLOOR],
  ['list', 'http', 'toOfficial', '>=', 30, REQUESTS_TO_OFFICIAL],

  ['clients', 'pair-2026-1', 'toTmcp', '>=', 1, CALLS_TO_TMCP],
  ['clients', 'pair-2025-1', 'toTmcp', '>=', 1, CALLS_TO_TMCP],
  ['clients', 'pair-2026-16', 'toTmcp', '>=', 1, CALLS_TO_TMCP],
  ['clients', 'pair-2025-16', 'toTmcp', '>=', 1, CALLS_TO_TMCP],
  // With one call at a time, both processes mostly wait: even the client by hand is below 4 times official v2.
  ['clients', 'stdio-2026-1', 'toRaw', '>=', 0.6, CALLS_TO_RAW],
  ['clients', 'stdio-2025-1', 'toRaw', '>=', 0.6, CALLS_TO_RAW],
  ['clients', 'stdio-2026-16', 'toRaw', '>=', 0.6, CALLS_TO_RAW],
  ['clients', 'stdio-2026-16', 'toOfficial', '>=', 4, CALLS_TO_OFFICIAL],
  ['clients', 'stdio-2025-16', 'toRaw', '>=', 0.6, CALLS_TO_RAW],
  ['clients', 'stdio-2025-16', 'toOfficial', '>=', 4, CALLS_TO_OFFICIAL],
  ['clients', 'http-2026-1', 'toRaw', '>=', 0.6, CALLS_TO_RAW],
  ['clients', 'http-2025-1', 'toRaw', '>=', 0.6, CALLS_TO_RAW],
  ['clients', 'http-2026-16', 'toRaw', '>=', 0.6, CALLS_TO_RAW],
  ['clients', 'http-2026-16', 'toOfficial', '>=', 4, CALLS_TO_OFFICIAL],
  ['clients', 'http-2025-16', 'toRaw', '>=', 0.6, CALLS_TO_RAW],
  ['clients', 'http-2025-16', 'toOfficial', '>=', 4, CALLS_TO_OFFICIAL],

  ['payloads', '1 MB echoed over stdio', 'toFloor', '>=', 0.8, BYTES_TO_FLOOR],
  ['payloads', '1 MB echoed over HTTP, modern-json', 'toFloor', '>=', 0.8, BYTES_TO_FLOOR],
  ['payloads', '1 MB echoed over HTTP, modern-sse', 'toFloor', '>=', 0.8, BYTES_TO_FLOOR],
  ['payloads', '1 MB echoed over HTTP, stateful-json', 'toFloor', '>=', 0.8, BYTES_TO_FLOOR],
  ['payloads', '1 MB echoed over HTTP, stateful-sse', 'toFloor', '>=', 0.8, BYTES_TO_FLOOR],
  ['payloads', '1 MB echoed over HTTP, stateless-json', 'toFloor', '>=', 0.8, BYTES_TO_FLOOR],
  ['payloads', '3 MB echoed over HTTP, modern-json', 'toFloor', '>=', 0.8, BYTES_TO_FLOOR],
  ['payloads', '3 MB echoed over HTTP, stateful-json', 'toFloor', '>=', 0.8, BYTES_TO_FLOOR],
  ['payloads', '10 MB echoed over stdio', 'toFloor', '>=', 0.8, BYTES_TO_FLOOR],
  ['payloads', '10 MB echoed over stdio', 'CPU to 1 MB', '<=', 1.3, LINE_COST],
  ['payloads', '10 MB answered over HTTP, modern-json', 'toFloor', '>=', 0.8, BYTES_TO_FLOOR],
  ['payloads', '10 MB answered over HTTP, modern-sse', 'toFloor', '>=', 0.8, BYTES_TO_FLOOR],
  ['payloads', '10,000 progress notifications over stdio', 'toFloor', '>=', 0.8, PROGRESS_TO_FLOOR],
  ['payloads', '10,000 progress notifications over stdio', 'share', '>=', 1, PROGRESS_ARRIVED],
  ['payloads', '10,000 progress notifications over HTTP, modern-sse', 'toFloor', '>=', 0.8, PROGRESS_TO_FLOOR],
  ['payloads', '10,000 progress notifications over HTTP, modern-sse', 'share', '>=', 1, PROGRESS_ARRIVED],
  ['payloads', '10,000 progress notifications over HTTP, stateful-sse', 'toFloor', '>=', 0.8, PROGRESS_TO_FLOOR],
  ['payloads', '10,000 progress notifications over HTTP, stateful-sse', 'share', '>=', 1, PROGRESS_ARRIVED],

  ['start', 'stub schema', 'toFloor', '<=', 1.3, COLD_START],
  ['start', 'stub schema', 'over bare Node MB', '<=', 8, MEMORY_AT_START],
  ['start', 'import mcpp/server', 'over bare Node ms', '<=', 25, IMPORT_TIME],

  ['memory', 'sessions', 'KB/session', '<=', 2, 'Heap of an idle session, in KB.'],
  ['memory', 'sessions', 'toFloor', '<=', 1.3, STREAM_TO_FLOOR],
  ['memory', 'sessions', 'kept %', '<=', 10, KEPT],
  ['memory', 'subscriptions', 'toFloor', '<=', 1.3, STREAM_TO_FLOOR],
  ['memory', 'subscriptions', 'kept %', '<=', 10, KEPT],

  ['size', 'stdio server', 'KB at start', '<=', 50, SERVER_BUNDLE],
  ['size', 'stdio server', 'KB of the JSON Schema engine', '<=', 22, ENGINE_CHUNK],
  ['size', 'client', 'KB at start', '<=', 45, CLIENT_BUNDLE],
  ['size', 'npm i mcpp', 'MB', '<=', 3, 'Size of the installed files, in MB.'],
  ['size', 'npm i mcpp', 'packages', '<=', 12, 'Number of installed packages.'],

  ['growth', 'tools', 'growth', '<=', 1.1, GROWTH],
  ['growth', 'sessions', 'growth', '<=', 1.1, GROWTH],

  ['compare', 'every mode', 'CPU', '<=', 1.03, NEW_CPU],
  ['compare', 'every mode', 'time', '<=', 1.03, NEW_TIME],
];

export const BARS = ROWS.map(([section, mode, measure, direction, bound, sentence]) => ({
  section,
  mode,
  measure,
  direction,
  bound,
  sentence,
}));
