// Clients: a pair within one process, and clients of the floor server over stdio and over HTTP, beside a client that is
// written by hand.
import { startClient } from '../clients/client-process.mjs';
import { figuresOf } from '../figures.mjs';
import { areInstalled } from '../installed.mjs';
import { allRounds, medians, ratioInRounds } from '../rounds.mjs';
import { startServer } from '../server-process.mjs';

const NEW = '2026-07-28';
const OLD = '2025-11-25';

/** The libraries that have a client. Those of the floor are written by hand. */
const LIBRARIES = [
  { name: 'floor', file: 'raw.mjs', needs: [], revisions: [NEW, OLD], where: ['stdio', 'http'] },
  { name: 'mcpp', file: 'mcpp.mjs', needs: [], revisions: [NEW, OLD], where: ['pair', 'stdio', 'http'] },
  {
    name: 'official v2',
    file: 'official-v2.mjs',
    needs: ['@modelcontextprotocol/client', '@modelcontextprotocol/server'],
    revisions: [NEW, OLD],
    where: ['pair', 'stdio', 'http'],
  },
  {
    name: 'official v1',
    file: 'official-v1.mjs',
    needs: ['@modelcontextprotocol/sdk'],
    revisions: [OLD],
    where: ['pair', 'stdio', 'http'],
  },
  {
    name: 'tmcp',
    file: 'tmcp.mjs',
    needs: ['tmcp', '@tmcp/adapter-zod', '@tmcp/transport-in-memory'],
    revisions: [NEW, OLD],
    where: ['pair'],
  },
];

const TRANSPORTS = [
  { where: 'pair', title: 'Client and server in one process' },
  { where: 'stdio', title: 'Client of the floor server over stdio' },
  { where: 'http', title: 'Client of the floor server over HTTP' },
];
const IN_FLIGHT = [
  { inFlight: 1, words: 'one call at a time' },
  { inFlight: 16, words: '16 calls in flight' },
];
/** Long enough for what is called to be compiled. */
const WARM_UP_MS = 1500;
const rowName = (library, revision) => `${library} ${revision.slice(0, 4)}`;
const note =
  'CPU is that of the client process; in one process it is that of both sides. Every client has listed the tools, so the official ones and mcpp check what comes back against the schema. tmcp hands messages to the server itself and checks nothing on the way back. For 2026-07-28 the official v2 has its HTTP handler called within the process, as its documentation says.';

/** Measures every library over one transport, and gives a table for each number of calls in flight. */
async function tablesOf({ where, title }, libraries, { rounds, seconds, log }) {
  const servers = where === 'http' ? await startFloors() : new Map();
  const clients = [];
  try {
    for (const { name, file, revisions } of libraries.filter((library) => library.where.includes(where))) {
      for (const revision of revisions) {
        const url = servers.get(revision)?.url;
        clients.push({ name: rowName(name, revision), client: await startClient(file, { where, revision, url }) });
      }
    }
    const tables = [];
    for (const { inFlight, words } of IN_FLIGHT) {
      log(`${title}, ${words}`);
      const found = await allRounds(clients, rounds, ({ client }, round) =>
        client.measure({ milliseconds: round === 0 ? WARM_UP_MS : seconds * 500, inFlight }),
      );
      const rows = rowsOf(new Map([...found].map(([{ name }, all]) => [name, all])));
      const columns = where === 'pair' ? ['toTmcp', 'toOfficial'] : ['toRaw', 'toOfficial'];
      tables.push({
        title: `${title}, ${words}`,
        note,
        columns: ['calls/s', 'CPU µs/call', ...columns],
        rows: rows.map((row) => ({ ...row, name: row.name.replace('floor', 'raw driver') })),
        measured: [NEW, OLD].map((revision) => ({
          mode: `${where}-${revision.slice(0, 4)}-${inFlight}`,
          measures: figuresOf(rows, rowName('mcpp', revision)),
        })),
      });
    }
    return tables;
  } finally {
    for (const { client } of clients) await client.stop();
    for (const { server } of servers.values()) await server.stop();
  }
}

async function startFloors() {
  const modes = [
    [NEW, 'modern-json'],
    [OLD, 'stateful-json'],
  ];
  const servers = new Map();
  for (const [revision, mode] of modes) {
    const server = await startServer('floor/raw.mjs', { mode });
    servers.set(revision, { server, url: `http://127.0.0.1:${server.port}/mcp` });
  }
  return servers;
}

/** Each beside those of the same revision. */
function rowsOf(found) {
  return [...found].map(([name, all]) => {
    const to = (library) => ratioInRounds(all, found.get(`${library} ${name.slice(-4)}`), 'calls/s');
    return {
      name,
      figures: { ...medians(all), toRaw: to('floor'), toTmcp: to('tmcp'), toOfficial: to('official v2') },
    };
  });
}

export const section = {
  name: 'clients',
  title: 'Clients',
  async run(settings) {
    const wanted = new Set(settings.candidates.map(({ name }) => name));
    const libraries = LIBRARIES.filter(
      ({ name, needs }) => name === 'floor' || (wanted.has(name) && areInstalled(needs)),
    );
    const tables = [];
    for (const transport of TRANSPORTS) tables.push(...(await tablesOf(transport, libraries, settings)));
    return { tables };
  },
};
