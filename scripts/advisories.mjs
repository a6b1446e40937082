// Findings of security advisories: from the dated list in advisories.json, and from the report of `npm audit`.
import { isInRange } from './version-range.mjs';

const MONTHS_UNTIL_OLD = 3;
const MONTH_MS = (365.25 / 12) * 24 * 3600 * 1000;

/** Returns what the list knows against these packages (`{ name, version }`), as sentences. */
export function listFindings({ packages }, checked) {
  return checked.flatMap(({ name, version }) => {
    const advisories = packages[name];
    if (!advisories) return [`${name} is not in scripts/advisories.json: look it up, and add it with what is found`];
    return advisories
      .filter(({ affected }) => isInRange(version, affected))
      .map(({ id, affected, title }) => `${name} ${version}: ${id}, ${title} (affected: ${affected})`);
  });
}

/** Returns a warning if the list was last checked more than three months ago, otherwise undefined. */
export function ageWarning({ checked }, now) {
  const months = (now - Date.parse(`${checked}T00:00:00Z`)) / MONTH_MS;
  if (months <= MONTHS_UNTIL_OLD) return undefined;
  return `scripts/advisories.json was checked on ${checked}, ${Math.floor(months)} months ago: check it again, and set the date`;
}

/**
 * Reads what `npm audit --json` printed. Returns `{ findings }` with sentences, or `{ unavailable }` with the reason if the
 * registry did not answer; URLs are left out of the reason.
 */
export function auditResult(text) {
  const report = parsed(text);
  if (report?.auditReportVersion === 2 && report.vulnerabilities) {
    return {
      findings: Object.values(report.vulnerabilities).flatMap(({ via }) => via.filter(isAdvisory).map(sentence)),
    };
  }
  const reason = report?.message ?? report?.error?.summary;
  return { unavailable: reason?.replace(/\s*(\w+ )?https?:\S+/g, '').replace(/ -$/, '') || 'no answer' };
}

/** A string names another package of the report, which has the advisory itself. */
const isAdvisory = (via) => typeof via === 'object';

const sentence = ({ name, title, url, range }) => `${name}: ${url?.split('/').at(-1)}, ${title} (affected: ${range})`;

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
