// What has to pass: for each set of scenarios how it is run, and how many checks each scenario has to pass in it. A
// scenario of the suite that is in none of them is an error.

/** The number of checks that is right for most scenarios: their own, and that every message fitted the schema. */
const TWO = 2;

/** One more is made of servers that answer every request with a stream; this one does where there is something to stream. */
const ANSWERED_WITH_JSON = 1;

const tools = (...names) => names.map((name) => `tools-call-${name}`);
const inputRequired = (checks) =>
  Object.entries(checks).map(([name, count]) => [`input-required-result-${name}`, count]);
const each = (names) => names.map((name) => [name, TWO]);

const RESOURCES = ['resources-list', 'resources-read-text', 'resources-read-binary', 'resources-templates-read'];
const PROMPTS = [
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
];

/** What every revision has. */
const COMMON = each([
  'completion-complete',
  ...tools('simple-text', 'image', 'audio', 'embedded-resource', 'mixed-content', 'error', 'with-progress'),
  ...RESOURCES,
  ...PROMPTS,
]);

/** What the revisions with sessions have beside it. */
const STATEFUL = [
  ['server-initialize', 3],
  ['server-session-lifecycle', 3],
  ...each([
    'logging-set-level',
    'ping',
    ...tools('with-logging', 'sampling', 'elicitation'),
    'resources-subscribe',
    'resources-unsubscribe',
  ]),
];

const auth = (checks) => Object.entries(checks).map(([name, count]) => [`auth/${name}`, count]);

/** What lets clients in, on every revision that has an authorization of today; those with sessions make a few checks more. */
const AUTH = auth({
  'metadata-default': 18,
  'metadata-var1': 18,
  'metadata-var2': 18,
  'metadata-var3': 18,
  'basic-cimd': 12,
  'scope-from-www-authenticate': 14,
  'scope-from-scopes-supported': 14,
  'scope-omitted-when-undefined': 14,
  'scope-step-up': 23,
  'scope-retry-limit': 10,
  'token-endpoint-auth-basic': 19,
  'token-endpoint-auth-post': 19,
  'token-endpoint-auth-none': 19,
  'pre-registration': 12,
  'client-credentials-jwt': 7,
  'client-credentials-basic': 7,
  'enterprise-managed-authorization': 8,
  dpop: 12,
  'dpop-nonce': 14,
  'wif-jwt-bearer': 7,
});

/** What came with 2026-07-28. */
const AUTH_STATELESS = auth({
  'resource-mismatch': 2,
  'offline-access-scope': 12,
  'offline-access-not-supported': 14,
  'authorization-server-migration': 27,
  'iss-supported': 14,
  'iss-not-advertised': 14,
  'iss-supported-missing': 8,
  'iss-wrong-issuer': 8,
  'iss-unexpected': 8,
  'iss-normalized': 8,
  'metadata-issuer-mismatch': 3,
});

/** The tasks extension. The suite makes no checks of notifications yet. */
const TASKS = Object.entries({
  lifecycle: 9,
  'capability-negotiation': 5,
  'wire-fields': 4,
  'request-state-removal': 3,
  'mrtr-input': 4,
  'request-headers': 5,
  'dispatch-and-envelope': 9,
  'status-notifications': 0,
  'required-task-error': 3,
  'mrtr-composition': 2,
}).map(([name, count]) => [`tasks-${name}`, count]);

/** Scenarios of an extension that no revision has, each a run of its own. */
const alone = (leg, extension, checks) => ({
  leg,
  revision: '2026-07-28',
  extension,
  selects: [...checks.keys()].map((name) => ['--scenario', name, '--spec-version', '2026-07-28', '--force']),
  checks,
});

const skills = (checks) => new Map(Object.entries(checks).map(([name, count]) => [`sep-2640-${name}`, count]));

/** The sets, in the order they are run in. */
export const SETS = [
  {
    leg: 'server',
    revision: '2025-03-26',
    selects: [['--suite', 'all', '--spec-version', '2025-03-26']],
    checks: new Map([['server-session-lifecycle', 3]]),
  },
  {
    leg: 'server',
    revision: '2025-06-18',
    selects: [['--suite', 'all', '--spec-version', '2025-06-18']],
    checks: new Map([...COMMON, ...STATEFUL, ['tools-list', 2]]),
  },
  {
    leg: 'server',
    revision: '2025-11-25',
    selects: [['--requirements', '2025-11-25']],
    checks: new Map([
      ...COMMON,
      ...STATEFUL,
      ['tools-list', 3],
      ['server-sse-multiple-streams', ANSWERED_WITH_JSON],
      ['server-sse-polling', 3],
      ['elicitation-sep1034-defaults', 6],
      ['elicitation-sep1330-enums', 6],
      ['dns-rebinding-protection', 2],
      ['json-schema-2020-12', 8],
    ]),
  },
  {
    leg: 'server',
    revision: '2026-07-28',
    selects: [['--requirements', '2026-07-28']],
    checks: new Map([
      ...COMMON,
      ['server-stateless', 30],
      ['tools-list', 4],
      ['server-sse-multiple-streams', ANSWERED_WITH_JSON],
      ['sep-2164-resource-not-found', 4],
      ['dns-rebinding-protection', 2],
      ['caching', 8],
      ...inputRequired({
        'basic-elicitation': 3,
        'basic-sampling': 3,
        'basic-list-roots': 3,
        'request-state': 3,
        'multiple-input-requests': 3,
        'multi-round': 4,
        'missing-input-response': 2,
        'non-tool-request': 3,
        'result-type': 2,
        'unsupported-methods': 2,
        'tampered-state': 2,
        'capability-check': 2,
        'ignore-extra-params': 2,
        'validate-input': 3,
      }),
      ['http-header-validation', 14],
      ['http-custom-header-server-validation', 10],
      ['json-schema-2020-12', 8],
      ...TASKS,
    ]),
  },
  alone('server', 'skills', skills({ 'skills-directory': 7, 'skills-enumeration': 32, 'skills-manifest': 6 })),
  {
    leg: 'client',
    revision: '2025-11-25',
    selects: [['--requirements', '2025-11-25']],
    checks: new Map([
      ['initialize', 1],
      ['tools_call', 2],
      ['elicitation-sep1034-client-defaults', 5],
      ['sse-retry', 3],
      ['json-schema-2020-12-preservation', 9],
      ...AUTH,
    ]),
  },
  {
    leg: 'client',
    revision: '2026-07-28',
    selects: [['--requirements', '2026-07-28']],
    checks: new Map([
      ['tools_call', 2],
      ['request-metadata', 8],
      ['sep-2322-client-request-state', 5],
      ['http-standard-headers', 9],
      ['http-custom-headers', 18],
      ['http-invalid-tool-headers', 12],
      ['json-schema-ref-no-deref', 1],
      ['json-schema-2020-12-preservation', 9],
      ...AUTH,
      ...AUTH_STATELESS,
    ]),
  },
  alone(
    'client',
    'skills',
    skills({
      'client-no-prefetch': 1,
      'client-verify-digest': 1,
      'client-verify-size': 1,
      'client-verify-frontmatter': 1,
    }),
  ),
  {
    leg: 'client',
    revision: '2025-03-26',
    selects: [['--suite', 'backcompat']],
    checks: new Map(auth({ '2025-03-26-oauth-metadata-backcompat': 13, '2025-03-26-oauth-endpoint-fallback': 8 })),
  },
];
