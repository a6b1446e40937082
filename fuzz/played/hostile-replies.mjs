// Replies that are costly for a client: each changes a valid response to a request.

import { longText } from '../odd-values.mjs';

const PATTERNS = [
  '^\\p{L}+$',
  '^(\\p{L}|\\p{N})+$',
  '(?:\\p{Script=Han}{1,50}){20}',
  '^(a+)+$',
  '(a|aa)+$',
  '([a-z]+)*x',
  '^(?=(a+))\\1b',
  'x{1000}',
  '(x{100}){100}',
  '[^\\p{ASCII}]{200}',
  '\\',
  '(',
  '[z-a]',
  '(?<=a{50})b',
];

const plain = (random, length) => JSON.parse(`"${longText(random, length)}"`);
/** A name, mostly of characters that JSON pointers escape. */
const longName = (random) =>
  random.pick(['~', '/', '~/', 'x', '\ud800']).repeat(random.pick([500, 5000, 100_000, 1_000_000]));
const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));

function nested(depth) {
  let schema = { type: 'string' };
  for (let level = 0; level < depth; level++) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

/** A schema with 2 ** depth branches. */
function branched(depth) {
  let schema = { type: 'string' };
  for (let level = 0; level < depth; level++) schema = { anyOf: [schema, schema] };
  return schema;
}

/** Output schemas of a tool that are costly to read or to check, with results that belong to them. */
const SCHEMAS = [
  (random) => ({
    schema: { type: 'object', properties: { a: { type: 'string', pattern: random.pick(PATTERNS) } } },
    value: { a: plain(random, random.pick([50, 5000, 200_000])) },
  }),
  (random) => ({
    schema: { type: 'object', patternProperties: { [random.pick(PATTERNS)]: { type: 'number' } } },
    value: { [plain(random, 5000)]: 'x' },
  }),
  (random) => ({ schema: { type: 'object', properties: { [longName(random)]: { type: 'number' } } }, value: {} }),
  (random) => ({
    schema: { type: 'object', additionalProperties: { type: 'number' } },
    value: { [longName(random)]: many(random.pick([10, 20_000]), () => 'x') },
  }),
  (random) => ({
    schema: { type: 'object', additionalProperties: { type: 'array', items: { type: 'number' } } },
    value: { [longName(random)]: many(random.pick([10, 30_000]), () => 'x') },
  }),
  (random) => ({
    schema: random.pick([() => nested(random.pick([5, 40, 200])), () => branched(random.pick([3, 10, 13]))])(),
    value: { a: { a: { a: 1 } } },
  }),
  (random) => ({
    schema: { type: 'object', allOf: many(random.pick([100, 5000]), () => ({ required: ['x'] })) },
    value: {},
  }),
  (random) => ({
    schema: { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } },
    value: { a: many(random.pick([100, 20_000]), (index) => ({ index })) },
  }),
  (random) => ({
    schema: {
      $ref: random.pick(['#', '#/$defs/a', 'http://127.0.0.1:1/x', 'file:///etc/passwd', '#/~0~1'.repeat(2000)]),
      $defs: { a: { $ref: '#/$defs/a' } },
    },
    value: {},
  }),
  (random) => ({
    schema: { type: 'object', properties: { a: { enum: many(random.pick([10, 50_000]), (index) => index) } } },
    value: { a: 'x' },
  }),
];

const CHANGES = {
  'tools/list': [
    (result, random) => ({
      ...result,
      tools: [
        { name: 'structured', inputSchema: { type: 'object' }, outputSchema: random.pick(SCHEMAS)(random).schema },
      ],
    }),
    (result, random) => ({
      ...result,
      tools: many(random.pick([100, 5000]), (index) => ({
        name: `t${index}`,
        inputSchema: { type: 'object' },
        description: 'd'.repeat(random.pick([1, 100])),
      })),
    }),
    (result, random) => ({ ...result, tools: [{ name: plain(random), inputSchema: { type: 'object' } }] }),
    (result, random) => ({ ...result, nextCursor: plain(random) }),
    (result) => ({ ...result, nextCursor: 'the same' }),
    (result, random) => ({
      ...result,
      tools: [
        {
          name: 'plain',
          inputSchema: {
            type: 'object',
            properties: { [plain(random, 3000)]: { type: 'string', 'x-mcp-header': plain(random, 100) } },
          },
        },
      ],
    }),
  ],
  'tools/call': [
    (result, random) => ({ ...result, structuredContent: random.pick(SCHEMAS)(random).value }),
    (result, random) => ({
      ...result,
      structuredContent: { sum: -1, name: plain(random), list: many(random.pick([10, 20_000]), () => ({ next: 7 })) },
    }),
    (result, random) => ({ ...result, content: many(random.pick([100, 20_000]), () => ({ type: 'text', text: 'x' })) }),
    (result, random) => ({
      ...result,
      resultType: 'input_required',
      inputRequests: Object.fromEntries(
        many(random.pick([1, 99, 101]), (index) => [
          `${index}`,
          {
            method: 'elicitation/create',
            params: {
              mode: 'form',
              message: 'm',
              requestedSchema: {
                type: 'object',
                properties: { [plain(random, 500)]: { type: 'string', pattern: random.pick(PATTERNS) } },
              },
            },
          },
        ]),
      ),
      requestState: plain(random, 1000),
    }),
    (result) => ({ ...result, resultType: 'input_required', inputRequests: {}, requestState: 'again' }),
  ],
  'resources/list': [
    (result, random) => ({
      ...result,
      resources: many(random.pick([100, 10_000]), (index) => ({ uri: `note://${index}`, name: 'n' })),
      nextCursor: `${random.next()}`,
    }),
  ],
  'resources/read': [
    (result, random) => ({
      ...result,
      contents: [{ uri: plain(random), text: plain(random) }],
      ttlMs: random.pick([-1, 1e308, '5', 1e15]),
    }),
  ],
  'prompts/list': [
    (result, random) => ({
      ...result,
      prompts: many(random.pick([10, 5000]), (index) => ({ name: `p${index}` })),
      nextCursor: 'x'.repeat(random.pick([10, 5000])),
    }),
  ],
  'completion/complete': [
    (result, random) => ({ ...result, completion: { values: many(random.pick([101, 50_000]), () => 'v') } }),
  ],
};

/** Of three megabytes each. */
const PAGES = 30;

/**
 * What a server does in all of one case. `schema`: a costly output schema and a result for it; `pages`: a list of many large pages.
 * Each gives the result in place of this one, or undefined for other methods.
 */
const THEMES = {
  schema(result, { method, params }, _count, random) {
    const { schema, value } = random.pick(SCHEMAS)(random);
    if (method === 'tools/list')
      return {
        ...result,
        nextCursor: undefined,
        tools: [{ name: 'structured', inputSchema: { type: 'object' }, outputSchema: schema }],
      };
    return method === 'tools/call' && params?.name === 'structured'
      ? { ...result, structuredContent: value }
      : undefined;
  },
  pages(result, { method }, count) {
    if (method !== 'resources/list' || count > PAGES) return undefined;
    const description = 'd'.repeat(100_000);
    const resources = many(30, (index) => ({ uri: `note://${count}/${index}`, name: 'n', description }));
    return { ...result, resources, nextCursor: `page ${count}` };
  },
};

/** The response that the theme of the case has in place of this one, if any. `random` is the same for all replies of the case. */
export function themedReply(theme, response, request, count, random) {
  const result = response?.result && THEMES[theme]?.(response.result, request, count, random);
  return result && { ...response, result };
}

/** A costly response in place of this one, or undefined if there is none for the method. */
export function hostileReply(response, method, random) {
  const changes = CHANGES[method];
  return changes && response.result
    ? { ...response, result: random.pick(changes)(response.result, random) }
    : undefined;
}
