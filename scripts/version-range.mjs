// Versions and ranges as security advisories write them: comparators joined by spaces, alternatives by "||".

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?(?:\+[\w.-]+)?$/;
const COMPARATOR = /^(<=|>=|<|>|=)?(\S+)$/;

const HOLDS = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '=': (order) => order === 0,
};

/** Returns whether a version is in a range such as `>=2.0.0 <2.0.5 || <1.2.3`. Prereleases are ordered like any version. */
export function isInRange(version, range) {
  return range.split('||').some((alternative) => {
    const comparators = alternative.trim().split(/\s+/);
    return comparators.every((comparator) => {
      const [, operator = '=', bound] = COMPARATOR.exec(comparator) ?? [];
      return HOLDS[operator](compareVersions(version, bound));
    });
  });
}

/** Orders two versions by the precedence of Semantic Versioning 2.0.0: negative, 0 or positive. */
export function compareVersions(a, b) {
  const [left, right] = [parse(a), parse(b)];
  for (const index of [0, 1, 2]) {
    if (left.numbers[index] !== right.numbers[index]) return left.numbers[index] - right.numbers[index];
  }
  return comparePrereleases(left.prerelease, right.prerelease);
}

function parse(version) {
  const match = VERSION.exec(version);
  if (!match) throw new Error(`${version} is not a version: expected three numbers, such as 1.2.3 or 1.2.3-beta.1`);
  return { numbers: match.slice(1, 4).map(Number), prerelease: match[4]?.split('.') ?? [] };
}

/** A version without prerelease identifiers comes after those that have some. */
function comparePrereleases(left, right) {
  if (left.length === 0 || right.length === 0) return right.length - left.length;
  for (const [index, identifier] of left.entries()) {
    if (index >= right.length) return 1;
    const order = compareIdentifiers(identifier, right[index]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareIdentifiers(left, right) {
  const areNumbers = [left, right].map((identifier) => /^\d+$/.test(identifier));
  if (areNumbers[0] && areNumbers[1]) return Number(left) - Number(right);
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
