/** `resources/list` with the resources that templates list. */

import { isObject } from '../jsonrpc/message.ts';
import type { Resource } from '../protocol/model/resources.ts';
import type { RequestContext } from './context.ts';
import { pageOf } from './pages.ts';
import type { Registry } from './registry.ts';
import type { ResourceEntry, TemplateEntry } from './resources.ts';
import { WrongReturn } from './returned.ts';

interface Shown {
  readonly key: string;
  readonly definition: Resource;
}

/** A page of the registered resources and of those that templates list; each URI once, registered ones first. */
export async function listWithTemplates(
  resources: Registry<ResourceEntry>,
  templates: Registry<TemplateEntry>,
  ctx: RequestContext,
): Promise<object> {
  const shown = new Map<string, Shown>();
  for (const entry of resources.entries(ctx)) shown.set(entry.key, entry);
  for (const template of [...templates.entries(ctx)]) {
    for (const definition of await listedBy(template, ctx)) {
      if (!shown.has(definition.uri)) shown.set(definition.uri, { key: definition.uri, definition });
    }
  }
  const { host, limits } = ctx.parts;
  const { entries, nextCursor } = pageOf('resources', [...shown.values()], ctx.params['cursor'], limits.pageSize);
  // Who asks may decide what is listed.
  ctx.about = { cache: { ...host.cache, cacheScope: 'private' } };
  const page = entries.map(({ definition }) => definition);
  return nextCursor === undefined ? { resources: page } : { resources: page, nextCursor };
}

async function listedBy(template: TemplateEntry, ctx: RequestContext): Promise<readonly Resource[]> {
  if (!template.list) return [];
  ctx.entry = template;
  const listed: unknown = await template.list(ctx);
  const { mimeType } = template.definition;
  const defaults = mimeType === undefined ? {} : { mimeType };
  if (!Array.isArray(listed) || !listed.every((one) => isObject(one) && typeof one['uri'] === 'string')) {
    throw new WrongReturn(`Resource template "${template.key}": list must return an array of objects with "uri"`);
  }
  return (listed as Resource[]).map((one) => ({ ...defaults, ...one, name: one.name ?? one.uri }));
}
