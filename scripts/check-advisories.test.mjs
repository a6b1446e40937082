import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('./check-advisories.mjs', import.meta.url));
const sbom = new URL('../dist/sbom.cdx.json', import.meta.url);

/** Runs the check against a registry that gives this answer to the first POST, and 404 to everything else. */
async function checkWith({ status, answer }) {
  let question;
  const registry = createServer(async (request, response) => {
    const body = await buffer(request);
    if (request.method !== 'POST') return response.writeHead(404).end('{}');
    question = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  try {
    const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${registry.address().port}/` };
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    return { stdout, code, question: JSON.parse(question) };
  } finally {
    registry.closeAllConnections();
    registry.close();
  }
}

test('the registry is asked about every component of the SBOM, bundled ones included', async () => {
  const { stdout, code, question } = await checkWith({ status: 200, answer: {} });
  const { components } = JSON.parse(readFileSync(sbom, 'utf8'));
  expect(question).toEqual(Object.fromEntries(components.map(({ name, version }) => [name, [version]])));
  expect(question).toHaveProperty('typebox');
  expect(stdout).toContain(`The registry was asked about ${components.length} components`);
  expect(code).toBe(0);
});

test('an advisory of the registry fails the check', async () => {
  const advisory = { id: 1, title: 'Overflow', severity: 'high', vulnerable_versions: '<9999.0.0', cwe: [] };
  const url = 'https://example.com/advisories/GHSA-aaaa-bbbb-cccc';
  const { stdout, code } = await checkWith({ status: 200, answer: { yaml: [{ ...advisory, url }] } });
  expect(stdout).toContain('FAILED   yaml: GHSA-aaaa-bbbb-cccc, Overflow (affected: <9999.0.0)');
  expect(code).toBe(1);
});

test('a registry that refuses the question leaves the decision to the dated list', async () => {
  const { stdout, code } = await checkWith({ status: 405, answer: {} });
  expect(stdout).toMatch(/could not be asked \(405 Method Not Allowed\): only the list of \d{4}-\d\d-\d\d counts/);
  expect(code).toBe(0);
});
