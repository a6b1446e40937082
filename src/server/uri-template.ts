/** URI templates as in RFC 6570. */

import { type Part, parseTemplate } from './uri-template-syntax.ts';

/** A template that was read. */
export interface UriTemplate {
  readonly template: string;
  /** The names of its variables, each once, in the order they occur. */
  readonly variables: readonly string[];
  readonly parts: readonly Part[];
}

/** Reads a template; throws a `TypeError` that says what is wrong with it and where. */
export function parseUriTemplate(template: string): UriTemplate {
  const parts = parseTemplate(template);
  const names = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables.map(({ name }) => name)));
  return { template, variables: [...new Set(names)], parts };
}
