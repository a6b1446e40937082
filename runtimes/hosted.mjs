/** A program that serves: it does the checks itself, then this process does them with it. */

import { request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { attempt, quietness, rowOf } from './outcomes.mjs';
import { start } from './process.mjs';
import { equal } from './smoke/assert.mjs';

/** The rows of a program in the staged folder. */
export async function hosted(name, folder, program, args) {
  const host = start(program, args, { cwd: folder });
  const rows = [];
  const began = await attempt('start', async () => {
    const { url } = await host.next();
    for (let said = await host.next(); said.row; said = await host.next()) {
      rows.push(rowOf(`${name}: ${said.row}`, said.outcomes));
    }
    const lacks = ['in process'];
    rows.push(rowOf(`${name}: from Node`, await fromHere(folder, { url, lacks }), lacks));
  });
  await host.stop();
  return [...rows, rowOf(`${name}: process`, [began, quietness(host)])];
}

/** The row of a recipe in the staged folder. */
export async function recipe(name, folder, program, args) {
  const host = start(program, args, { cwd: folder });
  const outcomes = [];
  const began = await attempt('start', async () => {
    const { url } = await host.next();
    outcomes.push(...(await recipeOutcomes(folder, { port: Number(new URL(url).port) })));
  });
  await host.stop();
  return rowOf(`${name}, recipe`, [...outcomes, began, quietness(host)]);
}

/** How it goes to speak to a recipe. */
export async function recipeOutcomes(folder, about) {
  const { recipeChecks } = await import(pathToFileURL(join(folder, 'recipes/check.mjs')).href);
  const outcomes = [];
  for (const [column, check] of recipeChecks(about)) outcomes.push(await attempt(column, check));
  return outcomes;
}

/** The checks with the client of this process, and one that needs a Host of its own. */
export async function fromHere(folder, about) {
  const { runChecks } = await import(pathToFileURL(join(folder, 'smoke/run.mjs')).href);
  return [...(await runChecks(about)), await attempt('host', () => refusesHost(about.url))];
}

async function refusesHost(url) {
  const headers = { host: 'evil.example', 'content-type': 'application/json', accept: 'application/json' };
  const response = await new Promise((resolve, reject) => {
    request(url, { method: 'POST', headers }, resolve).on('error', reject).end('{}');
  });
  response.resume();
  equal(response.statusCode, 403, 'The status for a foreign Host');
}
