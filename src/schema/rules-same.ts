/** The rules of a received schema that bring other schemas to the same value. */

import { isObject } from '../jsonrpc/message.ts';
import { type Check, every, type Maker, type Rule } from './interpreter-run.ts';

const ref: Rule = (_, maker, schema) => {
  const check = maker.of(maker.document.targets.get(schema)?.get('$ref'));
  return (run, value, at, seen) => run.same(check, value, at, seen);
};

/** Leads to the outermost anchor of that name on the way here, if it leads to an anchor of that sort at all. */
const dynamicRef: Rule = (given, maker, schema) => {
  const target = maker.document.targets.get(schema)?.get('$dynamicRef');
  const name = String(given).split('#')[1] ?? '';
  const isDynamic = maker.document.hasDynamicScope && isObject(target) && target.$dynamicAnchor === name;
  return (run, value, at, seen) => {
    run.spend(run.scope.length);
    const outermost = isDynamic ? run.scope.find(({ dynamicAnchors }) => dynamicAnchors.has(name)) : undefined;
    return run.same(maker.of(outermost?.dynamicAnchors.get(name) ?? target), value, at, seen);
  };
};

const allOf: Rule = (given, maker) => {
  const checks = checksOf(given, maker);
  return (run, value, at, seen) => every(run, checks, (check) => run.same(check, value, at, seen));
};

const anyOf: Rule = (given, maker) => {
  const checks = checksOf(given, maker);
  return (run, value, at, seen) => {
    const results = [];
    for (const check of checks) {
      const result = run.apart(() => run.same(check, value, at, seen));
      // What the others looked at counts too, if anybody asks.
      if (result.ok && !seen) return true;
      results.push(result);
    }
    if (results.some(({ ok }) => ok)) return true;
    for (const { errors } of results) run.tell(errors);
    return run.fail(at, 'anyOf', 'anyOf');
  };
};

const oneOf: Rule = (given, maker) => {
  const checks = checksOf(given, maker);
  return (run, value, at, seen) => {
    const results = checks.map((check) => run.apart(() => run.same(check, value, at, seen)));
    const passed = results.filter(({ ok }) => ok).length;
    // With patterns ignored, some of the schemas that fit may not.
    if (passed === 1 || (passed > 1 && maker.document.hasPatterns)) return true;
    if (passed === 0) for (const { errors } of results) run.tell(errors);
    return run.fail(at, 'oneOf', 'must match exactly one schema in oneOf');
  };
};

const not: Rule = (given, maker) => {
  if (maker.document.hasPatterns) return undefined;
  const check = maker.of(given);
  return (run, value, at) =>
    !run.quietly(() => check(run, value, at, run.fresh())) || run.fail(at, 'not', 'must not be valid');
};

const condition: Rule = (given, maker, schema) => {
  // The dialect before had no `if`.
  if (maker.document.dialect === 'draft-06') return undefined;
  const check = maker.of(given);
  const [whenTrue, whenFalse] = [maker.of(schema.then ?? true), maker.of(schema.else ?? true)];
  return (run, value, at, seen) => {
    const isTrue = run.quietly(() => run.same(check, value, at, seen));
    if (isTrue && maker.document.hasPatterns) {
      // With patterns ignored, the condition may be false: either branch will do, and both note what they looked at.
      const results = [whenTrue, whenFalse].map((branch) => run.quietly(() => run.same(branch, value, at, seen)));
      return results.includes(true) || run.fail(at, 'if', 'must match "then" or "else" schema');
    }
    const ok = run.same(isTrue ? whenTrue : whenFalse, value, at, seen);
    return ok || run.fail(at, 'if', `must match "${isTrue ? 'then' : 'else'}" schema`);
  };
};

function checksOf(given: unknown, maker: Maker): Check[] {
  return Array.isArray(given) ? given.map((each) => maker.of(each)) : [];
}

export const sameRules: readonly (readonly [keyword: string, rule: Rule])[] = [
  ['$ref', ref],
  ['$dynamicRef', dynamicRef],
  ['if', condition],
  ['not', not],
  ['allOf', allOf],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
];
