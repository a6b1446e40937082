/** Resources and resource templates: registration, lookup by URI, `resources/read` and `resources/list`. */

import { toBase64 } from '../../jsonrpc/base64.ts';
import { shorten } from '../../jsonrpc/errors.ts';
import { checkOptions, type KeysOf } from '../../jsonrpc/known-options.ts';
import { type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { resourceNotFound } from '../../protocol/errors.ts';
import type { ResourceContents } from '../../protocol/model/content.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/model/resources.ts';
import { STRING_LIMITS, stringParam } from '../../protocol/params.ts';
import type { CacheHints, Viewer } from '../../protocol/revision.ts';
import { scopesOf } from '../authorization/scopes.ts';
import type { Context } from '../context.ts';
import { InputRequired } from '../input/input-required.ts';
import type { RequestContext } from '../request-context.ts';
import { type Completers, checkCompleters } from './completion.ts';
import { pageOf } from './pagination.ts';
import { checkErrors, type Entry, type ErrorDisclosure, type Registry, type Visible } from './registry.ts';
import { WrongReturn } from './tool-result.ts';
import { matchUri } from './uri-template/match.ts';
import { encodeNonAscii, parseUriTemplate, type UriTemplate } from './uri-template/uri-template.ts';

/** What a resource is, apart from its URI and its handler. */
export interface ResourceConfig extends Partial<Omit<Resource, 'uri' | 'name'>> {
  /** Default: the URI. */
  readonly name?: string;
  /** How long clients may keep what they read. */
  readonly cache?: Partial<CacheHints>;
  /** Hides the resource from some callers. */
  readonly visible?: Visible;
  /** Who reads it must have been granted all of these, or is told to ask for them. They are not shown in the list. */
  readonly scopes?: readonly string[];
  /** What the client is told of plain errors of the handler: only a reference, or their messages. Default: the server's `errors`. */
  readonly errors?: ErrorDisclosure;
  /** Takes the place of a resource with the same URI. */
  readonly replace?: boolean;
}

/** What a resource template is, apart from the template and its handler. */
export interface ResourceTemplateConfig extends Omit<ResourceConfig, 'size'> {
  /** Suggestions for variables, by name. */
  readonly complete?: Completers;
  /** Gives resources of the family that `resources/list` shows beside the registered ones. Called for each list. */
  readonly list?: (ctx: Context) => readonly ListedResource[] | Promise<readonly ListedResource[]>;
}

/** A resource that a template lists. `name` is the URI unless given, `mimeType` that of the template. */
export type ListedResource = Omit<Resource, 'name'> & { readonly name?: string };

/** What a handler may return: text, bytes, contents, or nothing if there is no such resource. */
export type ResourceReturn =
  | string
  | Uint8Array
  | ResourceContents
  | readonly ResourceContents[]
  | ReadResourceResult
  | InputRequired
  | undefined
  | null;

/** Values of a template's variables; those with `*` are lists. */
export type Variables = Readonly<Record<string, string | readonly string[]>>;

/** Reads a resource. */
export type ResourceHandler = (uri: string, ctx: Context) => ResourceReturn | Promise<ResourceReturn>;

/** Reads a resource of a family. */
export type ResourceTemplateHandler<V = Variables> = (
  variables: V,
  ctx: Context,
  uri: string,
) => ResourceReturn | Promise<ResourceReturn>;

/** The variables of a template, read from its text where it is a literal. */
export type VariablesOf<T extends string> = string extends T ? Variables : FromTemplate<T>;

type FromTemplate<T extends string> = T extends `${string}{${infer Inside}}${infer Rest}`
  ? FromExpression<Inside> & FromTemplate<Rest>
  : {};
// What is named in the URI may be missing there.
type FromExpression<I extends string> = I extends `${';' | '?' | '&'}${infer List}`
  ? Partial<FromList<List>>
  : I extends `${'+' | '#' | '.' | '/'}${infer List}`
    ? FromList<List>
    : FromList<I>;
type FromList<I extends string> = I extends `${infer First},${infer Rest}`
  ? FromOne<First> & FromList<Rest>
  : FromOne<I>;
type FromOne<I extends string> = I extends `${infer Name}*`
  ? { readonly [K in Name]: readonly string[] }
  : I extends `${infer Name}:${string}`
    ? { readonly [K in Name]: string }
    : { readonly [K in I]: string };

/** A registered resource. */
export interface ResourceEntry extends Entry {
  readonly definition: Resource;
  readonly cache: Partial<CacheHints> | undefined;
  readonly read: ResourceHandler;
}

/** A registered template. */
export interface TemplateEntry extends Entry {
  readonly definition: ResourceTemplate;
  readonly template: UriTemplate;
  readonly cache: Partial<CacheHints> | undefined;
  readonly complete: Completers | undefined;
  readonly list: ResourceTemplateConfig['list'];
  readonly read: ResourceTemplateHandler;
}

const TEMPLATE_KEYS: KeysOf<ResourceTemplateConfig> = {
  name: true,
  title: true,
  description: true,
  mimeType: true,
  annotations: true,
  icons: true,
  _meta: true,
  cache: true,
  visible: true,
  scopes: true,
  errors: true,
  replace: true,
  complete: true,
  list: true,
};

const { complete: _complete, list: _list, ...SHARED_KEYS } = TEMPLATE_KEYS;
const RESOURCE_KEYS: KeysOf<ResourceConfig> = { ...SHARED_KEYS, size: true };

/** Makes a resource ready to be served. */
export function resourceEntry(uri: string, config: ResourceConfig | string, read: ResourceHandler): ResourceEntry {
  if (typeof config !== 'string') checkOptions(`Resource "${shorten(uri)}"`, config ?? null, RESOURCE_KEYS);
  const {
    name = uri,
    cache,
    visible,
    scopes: needed,
    errors,
    replace: _,
    ...shown
  } = typeof config === 'string' ? { mimeType: config } : config;
  if (!URL.canParse(uri)) throw new TypeError(`Resource "${shorten(uri)}": the URI is not valid, it needs a scheme`);
  checkLength(`Resource "${shorten(uri)}": the URI`, uri);
  if (typeof read !== 'function') throw new TypeError(`Resource "${uri}": the handler must be a function`);
  const scopes = scopesOf(`Resource "${uri}"`, needed);
  checkErrors(`Resource "${uri}"`, errors);
  return { key: uri, definition: { uri, name, ...shown }, visible, scopes, errors, cache, read };
}

/** Makes a template ready to be served. */
export function templateEntry(
  uriTemplate: string,
  config: ResourceTemplateConfig | string,
  read: ResourceTemplateHandler,
): TemplateEntry {
  if (typeof config !== 'string')
    checkOptions(`Resource template "${shorten(uriTemplate)}"`, config ?? null, TEMPLATE_KEYS);
  const {
    name = uriTemplate,
    cache,
    visible,
    scopes: needed,
    errors,
    replace: _,
    complete,
    list,
    ...shown
  } = typeof config === 'string' ? ({ mimeType: config } as ResourceTemplateConfig) : config;
  if (list !== undefined && typeof list !== 'function')
    throw new TypeError(`Resource template "${shorten(uriTemplate)}": list must be a function`);
  if (typeof read !== 'function')
    throw new TypeError(`Resource template "${uriTemplate}": the handler must be a function`);
  checkLength(`Resource template "${shorten(uriTemplate)}"`, uriTemplate);
  const template = parseUriTemplate(uriTemplate);
  checkCompleters(`Resource template "${uriTemplate}"`, complete, template.variables);
  const scopes = scopesOf(`Resource template "${uriTemplate}"`, needed);
  const definition = { uriTemplate, name, ...shown };
  checkErrors(`Resource template "${uriTemplate}"`, errors);
  return { key: uriTemplate, definition, visible, scopes, errors, template, cache, complete, list, read };
}

// No request could name it.
function checkLength(what: string, uri: string): void {
  if (uri.length > STRING_LIMITS.uri) throw new TypeError(`${what} has more than ${STRING_LIMITS.uri} characters`);
}

/** What is read at a URI. */
export interface ResolvedResource {
  readonly entry: ResourceEntry | TemplateEntry;
  read(ctx: Context): unknown;
}

/** Finds it: a resource of that very URI first, then the first template that fits. */
export function resolveResource(
  resources: Registry<ResourceEntry>,
  templates: Registry<TemplateEntry>,
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

/** Answers `resources/read`. */
export function readResource(
  resources: Registry<ResourceEntry>,
  templates: Registry<TemplateEntry>,
  ctx: RequestContext,
): MaybePromise<unknown> {
  const uri = stringParam(ctx.params, 'uri');
  const found = resolveResource(resources, templates, uri, ctx);
  if (!found) throw resourceNotFound(uri);
  const { entry } = found;
  ctx.entry = entry;
  return thenMaybe(found.read(ctx) as MaybePromise<unknown>, (returned) => {
    // What not everybody may read, and what came out of questions, is one caller's business.
    const scope = entry.visible || entry.scopes || ctx.usesJournal ? ({ cacheScope: 'private' } as const) : {};
    ctx.encodingHints = { cache: { ...ctx.server.host.cache, ...entry.cache, ...scope } };
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
  const { host, limits } = ctx.server;
  const { entries, nextCursor } = pageOf('resources', [...shown.values()], ctx.params['cursor'], limits.pageSize);
  // Who asks may decide what is listed.
  ctx.encodingHints = { cache: { ...host.cache, cacheScope: 'private' } };
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
