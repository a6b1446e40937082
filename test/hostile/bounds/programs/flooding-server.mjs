// A stdio server that writes a megabyte of what the call names before it answers.

import { createInterface } from 'node:readline';
import { answerTo } from '../flooding.mjs';
import { linesOf } from '../floods.mjs';

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const answer = answerTo(request);
  if (answer === undefined) continue;
  const { flood } = request.params?.arguments ?? {};
  process.stdout.write(`${flood === undefined ? '' : linesOf(flood)}${JSON.stringify(answer)}\n`);
}
