/** URI templates as in RFC 6570, matched against URIs. */

import { matcherOf, type UriTemplateMatch } from './uri-template-match.ts';
import { parseTemplate } from './uri-template-syntax.ts';

/** A template that was read. */
export interface UriTemplate {
  readonly template: string;
  /** The names of its variables, each once, in the order they occur. */
  readonly variables: readonly string[];
  /** The values a URI has for the variables, percent-decoded; undefined if the URI does not fit. */
  match(uri: string): UriTemplateMatch | undefined;
}

/**
 * Reads a template; throws a `TypeError` that says what is wrong with it and where.
 *
 * The RFC leaves matching open; here it takes linear time and follows these rules:
 * - a value ends where that which follows it in the template first occurs; a literal at the end of the template is
 *   looked for at the end of the URI;
 * - `{x}`, `{.x}` and `{/x}` take one or more characters a path segment may have, `{+x}` and `{#x}` any;
 * - `{?x,y}`, `{&x,y}` and `{;x,y}` may come in any order or be missing, and parameters of other names are ignored;
 * - `{x*}` gives a list, `{x:3}` takes at most three characters, and a variable used twice must have one value;
 * - two expressions with nothing between them to tell them apart, like `{x}{y}`, are refused.
 */
export function parseUriTemplate(template: string): UriTemplate {
  const parts = parseTemplate(template);
  const names = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables.map(({ name }) => name)));
  return {
    template,
    variables: [...new Set(names)],
    match: matcherOf(parts),
  };
}
