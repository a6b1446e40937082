/** Resources and resource templates: registration, lookup by URI, `resources/read` and `resources/list`. */

import { toBase64 } from '../../jsonrpc/base64.ts';
import type { KeysOf } from '../../jsonrpc/known-options.ts';
import { type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { shorten } from '../../jsonrpc/printable.ts';
import { resourceNotFound } from '../../protocol/errors.ts';
import type { ResourceContents } from '../../protocol/model/content.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/model/resources.ts';
import { STRING_LIMITS, stringParam } from '../../protocol/params.ts';
import type { CacheHints, Viewer } from '../../protocol/revision.ts';
import type { Context } from '../context.ts';
import { InputRequired } from '../input/input-required.ts';
import type { RequestContext } from '../request-context.ts';
import { type Completers, checkCompleters } from './completion.ts';
import { type EntryConfig, entryOptions } from './entry-config.ts';
import { pageOf } from './pagination.ts';
import type { Entry, Registry } from './registry.ts';
import { WrongReturn } from './tool-result.ts';
import { matchUri } from './uri-template/match.ts';
import { encodeNonAscii, parseUriTemplate, type UriTemplate } from './uri-template/uri-template.ts';

/** Second argument of `registerResource`, which throws a `TypeError` for unknown keys. */
export interface ResourceConfig extends EntryConfig, Partial<Omit<Resource, 'uri' | 'name'>> {
  /** Name of the resource or template in lists. Default: the URI or URI template. */
  readonly name?: string;
  /** Cache hints of `resources/read` results. Default of each hint: the server's option `cache`. */
  readonly cache?: Partial<CacheHints>;
}

/** Second argument of `registerResourceTemplate`, which throws a `TypeError` for unknown keys. */
export interface ResourceTemplateConfig extends Omit<ResourceConfig, 'size'> {
  /** Functions that suggest values of variables (`completion/complete`), keyed by variable name. Default: no suggestions. */
  readonly complete?: Completers;
  /** Returns resources that `resources/list` appends to the registered ones. Called for every `resources/list` request. */
  readonly list?: (ctx: Context) => readonly ListedResource[] | Promise<readonly ListedResource[]>;
}

/** A resource that `ResourceTemplateConfig.list` returns. Default `name`: the URI. Default `mimeType`: the template's. */
export type ListedResource = Omit<Resource, 'name'> & { readonly name?: string };

/** Return values of a resource handler. Undefined and null mean that the resource does not exist. */
export type ResourceReturn =
  | string
  | Uint8Array
  | ResourceContents
  | readonly ResourceContents[]
  | ReadResourceResult
  | InputRequired
  | undefined
  | null;

/** Values of a URI template's variables, keyed by variable name. The value of `{name*}` is an array. */
export type Variables = Readonly<Record<string, string | readonly string[]>>;

/** Handles `resources/read` for a resource. `uri` is the registered URI. */
export type ResourceHandler = (uri: string, ctx: Context) => ResourceReturn | Promise<ResourceReturn>;

/** Handles `resources/read` for URIs that match a template. `variables` are percent-decoded parts of `uri`. */
export type ResourceTemplateHandler<V = Variables> = (
  variables: V,
  ctx: Context,
  uri: string,
) => ResourceReturn | Promise<ResourceReturn>;

/** Type of the values of the URI template `T`'s variables; `Variables` if `T` is not a string literal. */
export type VariablesOf<T extends string> = string extends T ? Variables : FromTemplate<T>;

type FromTemplate<T extends string> = T extends `${string}{${infer Inside}}${infer Rest}`
  ? FromExpression<Inside> & FromTemplate<Rest>
  : {};
// Variables of `{;x}`, `{?x}` and `{&x}` are optional, because a matching URI need not contain them.
type FromExpression<I extends string> = I extends `${';' | '?' | '&'}${infer List}`
  ? Partial<FromList<List>>
  : I extends `${'+' | '#' | '.' | '/'}${infer List}`
    ? FromList<List>
    : FromList<I>;
type FromList<I extends string> = I extends `${infer First},${infer Rest}`
  ? FromVariable<First> & FromList<Rest>
  : FromVariable<I>;
type FromVariable<I extends string> = I extends `${infer Name}*`
  ? { readonly [K in Name]: readonly string[] }
  : I extends `${infer Name}:${string}`
    ? { readonly [K in Name]: string }
    : { readonly [K in I]: string };

export interface ResourceEntry extends Entry {
  readonly definition: Resource;
  readonly cache: Partial<CacheHints> | undefined;
  readonly read: ResourceHandler;
}

export interface TemplateEntry extends Entry {
  readonly definition: ResourceTemplate;
  readonly template: UriTemplate;
  readonly cache: Partial<CacheHints> | undefined;
  readonly complete: Completers | undefined;
  readonly list: ResourceTemplateConfig['list'];
  readonly read: ResourceTemplateHandler;
}

const TEMPLATE_KEYS: Omit<KeysOf<ResourceTemplateConfig>, keyof EntryConfig> = {
  name: true,
  title: true,
  description: true,
  mimeType: true,
  annotations: true,
  icons: true,
  _meta: true,
  cache: true,
  complete: true,
  list: true,
};

const { complete: _complete, list: _list, ...SHARED_KEYS } = TEMPLATE_KEYS;
const RESOURCE_KEYS: Omit<KeysOf<ResourceConfig>, keyof EntryConfig> = { ...SHARED_KEYS, size: true };

/** Makes an entry from the arguments of `registerResource`. Throws a `TypeError` that names the URI if one is invalid. */
export function resourceEntry(uri: string, config: ResourceConfig | string, read: ResourceHandler): ResourceEntry {
  const where = `Resource "${shorten(uri)}"`;
  const given: ResourceConfig = typeof config === 'string' ? { mimeType: config } : config;
  const { access, options } = entryOptions(where, given, RESOURCE_KEYS, read);
  const { name = uri, cache, ...shown } = options;
  if (!URL.canParse(uri)) throw new TypeError(`${where}: the URI is not valid, it needs a scheme`);
  checkLength(`${where}: the URI`, uri);
  return { key: uri, definition: { uri, name, ...shown }, ...access, cache, read };
}

/** Makes an entry from the arguments of `registerResourceTemplate`. Throws a `TypeError` if one of the arguments is invalid. */
export function templateEntry(
  uriTemplate: string,
  config: ResourceTemplateConfig | string,
  read: ResourceTemplateHandler,
): TemplateEntry {
  const where = `Resource template "${shorten(uriTemplate)}"`;
  const given: ResourceTemplateConfig = typeof config === 'string' ? { mimeType: config } : config;
  const { access, options } = entryOptions(where, given, TEMPLATE_KEYS, read);
  const { name = uriTemplate, cache, complete, list, ...shown } = options;
  if (list !== undefined && typeof list !== 'function') throw new TypeError(`${where}: list must be a function`);
  checkLength(where, uriTemplate);
  const template = parseUriTemplate(uriTemplate);
  checkCompleters(where, complete, template.variables);
  return {
    key: uriTemplate,
    definition: { uriTemplate, name, ...shown },
    ...access,
    template,
    cache,
    complete,
    list,
    read,
  };
}

// Refuses a long URI at registration, because requests for a URI longer than `STRING_LIMITS.uri` are always refused.
function checkLength(where: string, uri: string): void {
  if (uri.length > STRING_LIMITS.uri) throw new TypeError(`${where} has more than ${STRING_LIMITS.uri} characters`);
}

interface ResourceRegistries {
  readonly resources: Registry<ResourceEntry>;
  readonly templates: Registry<TemplateEntry>;
}

export interface ResolvedResource {
  readonly entry: ResourceEntry | TemplateEntry;
  read(ctx: Context): unknown;
}

/** Returns the resource with this URI, or else the first template that matches it. Skips entries hidden from the viewer. */
export function resolveResource(
  { resources, templates }: ResourceRegistries,
  uri: string,
  viewer: Viewer,
): ResolvedResource | undefined {
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

export function readResource(registries: ResourceRegistries, ctx: RequestContext): MaybePromise<unknown> {
  const uri = stringParam(ctx.params, 'uri');
  const found = resolveResource(registries, uri, ctx);
  if (!found) throw resourceNotFound(uri);
  const { entry } = found;
  ctx.entry = entry;
  return thenMaybe(found.read(ctx) as MaybePromise<unknown>, (returned) => {
    // Shared caches must not store contents that are restricted to some callers or depend on input responses.
    const scope = entry.visible || entry.scopes || ctx.usesJournal ? ({ cacheScope: 'private' } as const) : {};
    ctx.encodingHints = { cache: { ...ctx.server.serverInfo.cache, ...entry.cache, ...scope } };
    if (returned instanceof InputRequired || (isObject(returned) && isContents(returned['contents']))) return returned;
    const contents = contentsOf(returned, uri, entry.definition.mimeType);
    if (!contents) {
      throw new WrongReturn(
        `Resource "${entry.key}" returned neither text nor bytes nor contents: return a string, a Uint8Array, or { uri, text }`,
      );
    }
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
  return Array.isArray(value) && value.every(isItem);
}

function isItem(value: unknown): boolean {
  if (!isObject(value) || typeof value['uri'] !== 'string') return false;
  return typeof value['text'] === 'string' || typeof value['blob'] === 'string';
}

/** Handles `resources/list` if a template has a `list` function. Registered resources come first. No URI is listed twice. */
export async function listWithTemplates(
  { resources, templates }: ResourceRegistries,
  ctx: RequestContext,
): Promise<object> {
  const shown = new Map<string, Pick<ResourceEntry, 'key' | 'definition'>>();
  for (const entry of resources.entries(ctx)) shown.set(entry.key, entry);
  for (const template of [...templates.entries(ctx)]) {
    for (const definition of await listedBy(template, ctx)) {
      if (!shown.has(definition.uri)) shown.set(definition.uri, { key: definition.uri, definition });
    }
  }
  const { serverInfo, limits } = ctx.server;
  const { entries, nextCursor } = pageOf('resources', [...shown.values()], ctx.params['cursor'], limits.pageSize);
  // Shared caches must not store the list, because the `list` functions of templates can depend on the caller.
  ctx.encodingHints = { cache: { ...serverInfo.cache, cacheScope: 'private' } };
  const page = entries.map(({ definition }) => definition);
  return nextCursor === undefined ? { resources: page } : { resources: page, nextCursor };
}

async function listedBy(template: TemplateEntry, ctx: RequestContext): Promise<readonly Resource[]> {
  if (!template.list) return [];
  ctx.entry = template;
  const listed: unknown = await template.list(ctx);
  if (!Array.isArray(listed) || !listed.every((item) => isObject(item) && typeof item['uri'] === 'string')) {
    throw new WrongReturn(`Resource template "${template.key}": list must return an array of objects with "uri"`);
  }
  const { mimeType } = template.definition;
  const defaults = mimeType === undefined ? {} : { mimeType };
  return (listed as Resource[]).map((item) => ({ ...defaults, ...item, name: item.name ?? item.uri }));
}
