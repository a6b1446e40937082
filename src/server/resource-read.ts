/** `resources/read`. Loaded with the first of them. */

import { isObject } from '../jsonrpc/message.ts';
import { stringParam } from '../protocol/checks.ts';
import { resourceNotFound } from '../protocol/errors.ts';
import type { ResourceContents } from '../protocol/model/content.ts';
import { toBase64 } from './base64.ts';
import type { RequestContext } from './context.ts';
import { InputRequired } from './input-required.ts';
import { chain, type Maybe } from './maybe.ts';
import type { Registry } from './registry.ts';
import { resourceAt } from './resource-at.ts';
import type { ResourceEntry, TemplateEntry } from './resources.ts';
import { WrongReturn } from './returned.ts';

/** Answers `resources/read`. */
export function readResource(
  resources: Registry<ResourceEntry>,
  templates: Registry<TemplateEntry>,
  ctx: RequestContext,
): Maybe<unknown> {
  const uri = stringParam(ctx.params, 'uri');
  const found = resourceAt(resources, templates, uri, ctx);
  if (!found) throw resourceNotFound(uri);
  const { entry } = found;
  ctx.entry = entry;
  return chain(found.read(ctx) as Maybe<unknown>, (returned) => {
    // What not everybody may read, and what came out of questions, is one caller's business.
    const scope = entry.visible || entry.scopes || ctx.hasAsked ? ({ cacheScope: 'private' } as const) : {};
    ctx.about = { cache: { ...ctx.parts.host.cache, ...entry.cache, ...scope } };
    if (returned instanceof InputRequired || (isObject(returned) && isContents(returned['contents']))) return returned;
    const contents = contentsOf(returned, uri, entry.definition.mimeType);
    if (!contents) throw new WrongReturn(`Resource "${entry.key}" returned neither text nor bytes nor contents`);
    return { contents };
  });
}

function contentsOf(
  returned: unknown,
  uri: string,
  mimeType: string | undefined,
): readonly ResourceContents[] | undefined {
  const base = mimeType === undefined ? { uri } : { uri, mimeType };
  if (returned === undefined || returned === null) throw resourceNotFound(uri);
  if (typeof returned === 'string') return [{ ...base, text: returned }];
  if (returned instanceof Uint8Array) return [{ ...base, blob: toBase64(returned) }];
  if (isContents(returned)) return returned;
  return isContents([returned]) ? [returned as ResourceContents] : undefined;
}

function isContents(value: unknown): value is ResourceContents[] {
  return Array.isArray(value) && value.every(isOneContents);
}

function isOneContents(value: unknown): boolean {
  if (!isObject(value) || typeof value['uri'] !== 'string') return false;
  return typeof value['text'] === 'string' || typeof value['blob'] === 'string';
}
