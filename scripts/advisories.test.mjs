import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ageWarning, auditResult, listFindings } from './advisories.mjs';
import { isInRange } from './version-range.mjs';

const list = {
  checked: '2026-01-15',
  packages: {
    yaml: [{ id: 'GHSA-48c2-rrv3-qjmp', affected: '>=2.0.0 <2.8.3', title: 'Stack overflow' }],
    which: [],
  },
};

test('an affected version is found in the list', () => {
  expect(listFindings(list, [{ name: 'yaml', version: '2.8.2' }])).toEqual([
    'yaml 2.8.2: GHSA-48c2-rrv3-qjmp, Stack overflow (affected: >=2.0.0 <2.8.3)',
  ]);
});

test('a version that is not affected, and a package without advisories, are not found', () => {
  const components = [
    { name: 'yaml', version: '2.8.3' },
    { name: 'which', version: '2.0.2' },
  ];
  expect(listFindings(list, components)).toEqual([]);
});

test('a package that is missing in the list is a finding', () => {
  expect(listFindings(list, [{ name: 'isexe', version: '2.0.0' }])).toEqual([
    'isexe is not in scripts/advisories.json: look it up, and add it with what is found',
  ]);
});

test('a list older than three months gives a warning, a younger one does not', () => {
  expect(ageWarning(list, Date.parse('2026-04-14'))).toBeUndefined();
  expect(ageWarning(list, Date.parse('2026-07-20'))).toContain('was checked on 2026-01-15, 6 months ago');
});

test('the advisories of an npm audit report are findings, once each', () => {
  const advisory = {
    name: 'yaml',
    title: 'Stack overflow',
    url: 'https://example.com/advisories/GHSA-48c2-rrv3-qjmp',
    range: '>=2.0.0 <2.8.3',
  };
  const vulnerabilities = { yaml: { via: [advisory] }, components: { via: ['yaml'] } };
  expect(auditResult(JSON.stringify({ auditReportVersion: 2, vulnerabilities }))).toEqual({
    findings: ['yaml: GHSA-48c2-rrv3-qjmp, Stack overflow (affected: >=2.0.0 <2.8.3)'],
  });
});

test('an npm audit report without vulnerabilities has no findings', () => {
  expect(auditResult('{"auditReportVersion":2,"vulnerabilities":{}}')).toEqual({ findings: [] });
});

test.each([
  ['{"message":"405 Method Not Allowed - POST https://example.com/bulk"}', '405 Method Not Allowed'],
  ['{"message":"request to https://example.com/bulk failed, reason: connect ECONNREFUSED"}', /ECONNREFUSED$/],
  ['{"error":{"code":"ENOLOCK","summary":"This command requires a lockfile"}}', 'This command requires a lockfile'],
  ['', 'no answer'],
  ['null', 'no answer'],
  ['npm error', 'no answer'],
])('npm audit that prints %s has not asked the registry', (text, reason) => {
  const { findings, unavailable } = auditResult(text);
  expect(findings).toBeUndefined();
  expect(unavailable).toMatch(reason);
  expect(unavailable).not.toContain('example.com');
});

test('the list of the repository has a date and readable ranges', () => {
  const { checked, packages } = JSON.parse(readFileSync(new URL('./advisories.json', import.meta.url), 'utf8'));
  expect(checked).toMatch(/^\d{4}-\d\d-\d\d$/);
  for (const { id, affected, title } of Object.values(packages).flat()) {
    expect(id).toMatch(/^GHSA(-\w{4}){3}$/);
    expect(title).not.toBe('');
    expect(isInRange('9999.0.0', affected), `${id} is open-ended`).toBe(false);
  }
});
