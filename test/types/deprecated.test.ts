/** The protocol deprecates roots, sampling and logging: their doc comments say so, and editors do not strike them out. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { declarationsOf, readCode, reexportsOf } from '../source-code.ts';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const entries = ['mcpp', 'server', 'client', 'stdio', 'testing'];

/** The files whose every name belongs to a deprecated feature. */
const FEATURE_FILES: ReadonlyMap<string, string> = new Map([
  ['../protocol/model/roots.ts', 'roots'],
  ['../protocol/model/sampling.ts', 'sampling'],
  ['../protocol/model/logging.ts', 'logging'],
  ['../server/logging.ts', 'logging'],
]);

/** The names such features have as members of something else. */
const FEATURE_MEMBERS: readonly (readonly [name: RegExp, feature: string])[] = [
  [/^(on)?(list)?roots/i, 'roots'],
  [/^(on)?sampl(e|ing)/i, 'sampling'],
  [/^(on)?log(ging|level)?(s|message)?$/i, 'logging'],
];

interface Api {
  readonly name: string;
  readonly feature: string;
  readonly doc: string;
}

function declarationsIn(specifier: string) {
  return declarationsOf(readCode(readFileSync(`${dist}entries/${specifier.replace(/\.ts$/, '.d.ts')}`, 'utf8')));
}

function deprecatedApis(): Api[] {
  const apis = new Map<string, Api>();
  for (const entry of entries) {
    for (const { name, specifier } of reexportsOf(readCode(readFileSync(`${dist}entries/${entry}.d.ts`, 'utf8')))) {
      const declaration = declarationsIn(specifier).find((one) => one.name === name);
      const whole = FEATURE_FILES.get(specifier);
      if (whole) apis.set(name, { name, feature: whole, doc: declaration?.doc ?? '' });
      else {
        for (const { name: member, doc = '' } of declaration?.members ?? []) {
          const feature = FEATURE_MEMBERS.find(([pattern]) => pattern.test(member))?.[1];
          if (feature) apis.set(`${name}.${member}`, { name: `${name}.${member}`, feature, doc });
        }
      }
    }
  }
  return [...apis.values()];
}

const apis = deprecatedApis();

test('every way to use them is found', () => {
  expect(apis.map(({ name }) => name).toSorted()).toEqual([
    'AnswerHandlers.onListRoots',
    'AnswerHandlers.onSample',
    'AnswerHandlers.roots',
    'ClientCapabilities.roots',
    'ClientCapabilities.sampling',
    'ConnectionOptions.logLevel',
    'ConnectionOptions.onLog',
    'Context.listRoots',
    'Context.log',
    'Context.sample',
    'CreateMessageParams',
    'CreateMessageResult',
    'ListRootsResult',
    'Log',
    'LogMessage',
    'LoggingLevel',
    'McpServer.log',
    'MetaKey.logLevel',
    'ModelPreferences',
    'Root',
    'SamplingContent',
    'SamplingMessage',
    'ServerCapabilities.logging',
    'ToolResultContent',
    'ToolUseContent',
  ]);
});

describe.each(apis)('$name', ({ feature, doc }) => {
  test('has a doc comment with the proposal that deprecates it and the day from which it may be gone', () => {
    expect(doc).toContain(`Deprecated by the specification (SEP-2577): ${feature} may be removed from 2027-07-28 on.`);
    expect(doc).not.toContain('@deprecated');
  });
});
