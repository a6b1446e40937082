/** The dialects of JSON Schema that are read. */

export type Dialect = '2020-12' | 'draft-07' | 'draft-06';

/** Draft URIs are written with and without the empty fragment, and over either scheme. */
const dialects: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft-06/schema', 'draft-06'],
]);

export function dialectOf(uri: string): Dialect | undefined {
  return dialects.get(uri.replace(/^https?:\/\//, '').replace(/#$/, ''));
}
