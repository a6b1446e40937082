/** What there is at a URI. */

import type { Viewer } from '../protocol/revision.ts';
import type { Context } from './context.ts';
import type { Registry } from './registry.ts';
import type { ResourceEntry, TemplateEntry } from './resources.ts';
import { matchUri } from './uri-template-match.ts';
import { encodeNonAscii } from './uri-template-syntax.ts';

/** What is read at a URI. */
export interface Found {
  readonly entry: ResourceEntry | TemplateEntry;
  read(ctx: Context): unknown;
}

/** Finds it: a resource of that very URI first, then the first template that fits. */
export function resourceAt(
  resources: Registry<ResourceEntry>,
  templates: Registry<TemplateEntry>,
  uri: string,
  viewer: Viewer,
): Found | undefined {
  const resource = resources.get(uri, viewer);
  if (resource) return { entry: resource, read: (ctx) => resource.read(uri, ctx) };
  const encoded = encodeNonAscii(uri);
  if (encoded === undefined) return undefined;
  for (const entry of templates.entries(viewer)) {
    const matched = matchUri(entry.template, encoded);
    if (matched) return { entry, read: (ctx) => entry.read(Object.fromEntries(matched), ctx, uri) };
  }
  return undefined;
}
