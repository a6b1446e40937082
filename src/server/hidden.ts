/** Which resources a viewer must not hear of. Loaded where there are some that not everybody may know of. */

import type { Viewer } from '../protocol/revision.ts';
import { ofResource, type Registries } from './needed-scopes.ts';
import type { TemplateEntry } from './resources.ts';
import { hasScopes } from './scope-checks.ts';
import { matchUri } from './uri-template-match.ts';
import { encodeNonAscii } from './uri-template-syntax.ts';

/** True for what a viewer may not see or read: it must not become known by its changes either. */
export function isHiddenFrom(viewer: Viewer, uri: string, all: Registries, asksForScopes: boolean): boolean {
  const { principal } = viewer;
  const needed = asksForScopes ? ofResource(all, uri, viewer) : undefined;
  if (needed && !(principal && hasScopes(principal, needed))) return true;
  const { resources, templates } = all;
  if (resources.has(uri)) return !resources.get(uri, viewer);
  const encoded = encodeNonAscii(uri) ?? uri;
  const named = templates.names.find((name) => isAt(templates.peek(name), encoded));
  return named !== undefined && !templates.get(named, viewer);
}

function isAt(entry: TemplateEntry | undefined, uri: string): boolean {
  return entry !== undefined && matchUri(entry.template, uri) !== undefined;
}
