/** The rules of a received schema that look at the members of objects. */

import { isObject } from '../jsonrpc/message.ts';
import { type Check, every, type Maker, type Rule } from './interpreter-run.ts';
import type { JsonObject } from './json.ts';

const maxNamed = 100;

const has = (value: JsonObject, name: string): boolean => Object.hasOwn(value, name) && value[name] !== undefined;

const required: Rule = (given) => {
  const names = [...new Set([given].flat().map(String))];
  return (run, value, at) => {
    if (!isObject(value)) return true;
    const missing: string[] = [];
    for (const name of names) {
      run.spend(10);
      if (!has(value, name)) missing.push(name);
      if (missing.length > (run.isFull ? 0 : maxNamed)) break;
    }
    return missing.length === 0 || run.fail(at, 'required', 'required', { requiredProperties: missing });
  };
};

function dependentRequired(given: unknown): Check {
  const dependencies = Object.entries(Object(given)).map(
    ([name, others]) => [name, [...new Set([others].flat().map(String))]] as const,
  );
  return (run, value, at) => {
    if (!isObject(value)) return true;
    run.spend(10 * dependencies.length);
    return every(run, dependencies, ([name, others]) => {
      if (!has(value, name)) return true;
      run.spend(10 * others.length);
      if (others.every((other) => has(value, other))) return true;
      const params = { property: name, dependencies: others.slice(0, maxNamed) };
      return run.fail(at, 'dependentRequired', 'dependentRequired', params);
    });
  };
}

function dependentSchemas(given: unknown, maker: Maker): Check {
  const dependencies = Object.entries(Object(given)).map(([name, schema]) => [name, maker.of(schema)] as const);
  return (run, value, at, seen) => {
    if (!isObject(value)) return true;
    run.spend(10 * dependencies.length);
    return every(run, dependencies, ([name, check]) => !has(value, name) || run.same(check, value, at, seen));
  };
}

/** Until 2019-09 both sorts of dependencies stood under one keyword. */
const dependencies: Rule = (given, maker) => {
  const entries = Object.entries(Object(given));
  const names = dependentRequired(Object.fromEntries(entries.filter(([, each]) => Array.isArray(each))));
  const schemas = dependentSchemas(Object.fromEntries(entries.filter(([, each]) => !Array.isArray(each))), maker);
  return (run, value, at, seen) => every(run, [names, schemas], (check) => check(run, value, at, seen));
};

/** `properties` by itself asks only for the names it has. */
const properties: Rule = (given, maker, schema) => {
  if (hasAdditional(schema)) return undefined;
  const checks = Object.entries(Object(given)).map(([name, each]) => [name, maker.of(each)] as const);
  return (run, value, at, seen) => {
    if (!isObject(value)) return true;
    run.spend(5 * checks.length);
    return every(run, checks, ([name, check]) => {
      if (!has(value, name)) return true;
      seen?.names.add(name);
      return run.part(check, value[name], at, name);
    });
  };
};

/** Any name may match an ignored pattern, so beside `patternProperties` no name is known to be additional. */
function hasAdditional(schema: JsonObject): boolean {
  return schema.additionalProperties !== undefined && schema.patternProperties === undefined;
}

/** The patterns are ignored: every name counts as matched, and no schema applies to its value. */
const patternProperties: Rule = () => (run, value, _, seen) => {
  if (!seen || !isObject(value)) return true;
  const names = run.namesOf(value);
  run.spend(15 * names.length);
  for (const name of names) seen.names.add(name);
  return true;
};

/** `additionalProperties` asks for every name there is. */
const additionalProperties: Rule = (_, maker, schema) => {
  if (!hasAdditional(schema)) return undefined;
  const named = new Map(Object.entries(Object(schema.properties)).map(([name, each]) => [name, maker.of(each)]));
  const additional = additionalOf(maker, schema);
  return (run, value, at, seen) => {
    if (!isObject(value)) return true;
    const names = run.namesOf(value);
    run.spend(15 * names.length);
    return every(run, names, (name) => {
      seen?.names.add(name);
      return run.part(named.get(name) ?? additional, value[name], at, name);
    });
  };
};

function additionalOf(maker: Maker, { additionalProperties }: JsonObject): Check {
  if (additionalProperties !== false) return maker.of(additionalProperties);
  return (run, _, at) =>
    run.fail(at?.parent, 'unevaluatedProperties', 'must not have additional properties', {
      unevaluatedProperties: [String(at?.key)],
    });
}

const propertyNames: Rule = (given, maker) => {
  const check = maker.of(given);
  return (run, value, at) => {
    if (!isObject(value)) return true;
    const wrong: string[] = [];
    for (const name of run.namesOf(value)) {
      run.spend(10);
      if (run.quietly(() => run.part(check, name, at, name))) continue;
      wrong.push(name);
      if (run.isFull || wrong.length === maxNamed) break;
    }
    return wrong.length === 0 || run.fail(at, 'propertyNames', 'propertyNames', { propertyNames: wrong });
  };
};

const unevaluatedProperties: Rule = (given, maker) => {
  const check = maker.of(given);
  return (run, value, at, seen) => {
    if (!isObject(value)) return true;
    const names = run.namesOf(value);
    run.spend(15 * names.length);
    const wrong: string[] = [];
    for (const name of names) {
      const isFine = seen?.names.has(name) || run.quietly(() => run.part(check, value[name], at, name));
      if (!isFine) wrong.push(name);
      seen?.names.add(name);
    }
    const params = { unevaluatedProperties: wrong.slice(0, maxNamed) };
    return wrong.length === 0 || run.fail(at, 'unevaluatedProperties', 'must not have unevaluated properties', params);
  };
};

export const objectRules: readonly (readonly [keyword: string, rule: Rule])[] = [
  ['required', required],
  ['additionalProperties', additionalProperties],
  ['dependencies', dependencies],
  ['dependentRequired', dependentRequired],
  ['dependentSchemas', dependentSchemas],
  ['patternProperties', patternProperties],
  ['properties', properties],
  ['propertyNames', propertyNames],
];

/** Comes after all others, which say what is left for it. */
export const lastObjectRules: readonly (readonly [keyword: string, rule: Rule])[] = [
  ['unevaluatedProperties', unevaluatedProperties],
];
