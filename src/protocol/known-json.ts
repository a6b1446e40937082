/** The JSON of what tools with structured results mostly answer: one object, and the same as text. */

import type { ResultFacts } from './revision.ts';

/** The result as JSON, if its text has been made already; undefined for any other. */
export function knownJson(result: object, { structured }: ResultFacts): string | undefined {
  if (structured?.result !== result) return undefined;
  const { json } = structured;
  return `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}}`;
}
