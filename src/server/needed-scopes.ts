/** Which scopes a request needs: those of what it is about. What its sender may not know of needs none. */

import { isObject, type Params, type Request } from '../jsonrpc/message.ts';
import type { Viewer } from '../protocol/revision.ts';
import { STRING_LIMITS } from '../protocol/string-limits.ts';
import type { PromptEntry } from './prompts.ts';
import type { Entry, Registry } from './registry.ts';
import { resourceAt } from './resource-at.ts';
import type { ResourceEntry, TemplateEntry } from './resources.ts';
import type { ToolEntry } from './tools.ts';

/** Everything that can be asked for. */
export interface Registries {
  readonly tools: Registry<ToolEntry>;
  readonly prompts: Registry<PromptEntry>;
  readonly resources: Registry<ResourceEntry>;
  readonly templates: Registry<TemplateEntry>;
}

type Scopes = readonly string[] | undefined;
type Finder = (all: Registries, params: Params, viewer: Viewer) => Scopes;

const FINDERS: ReadonlyMap<string, Finder> = new Map<string, Finder>([
  ['tools/call', ({ tools }, { name }, viewer) => ofEntry(tools, name, viewer)],
  ['prompts/get', ({ prompts }, { name }, viewer) => ofEntry(prompts, name, viewer)],
  ['resources/read', (all, { uri }, viewer) => ofRequested(all, uri, viewer)],
  ['resources/subscribe', (all, { uri }, viewer) => ofRequested(all, uri, viewer)],
  ['subscriptions/listen', ofSubscriptions],
  ['completion/complete', ofCompletion],
]);

// More URIs, and longer ones, are refused when the request is answered: they are not matched here.
const MAX_URIS = 10_000;

/** All scopes this request needs; undefined if none. */
export function neededScopes(all: Registries, { method, params }: Request, viewer: Viewer): Scopes {
  return isObject(params) ? FINDERS.get(method)?.(all, params, viewer) : undefined;
}

// Whether the viewer may know of it is found out only of what needs some.
function ofEntry<E extends Entry>(registry: Registry<E>, name: unknown, viewer: Viewer): Scopes {
  const entry = registry.peek(name);
  return entry?.scopes && registry.get(entry.key, viewer)?.scopes;
}

/** The scopes of whatever is read at this URI. */
export function ofResource({ resources, templates }: Registries, uri: unknown, viewer: Viewer): Scopes {
  if (typeof uri !== 'string' || !(resources.isScoped || templates.isScoped)) return undefined;
  return resourceAt(resources, templates, uri, viewer)?.entry.scopes;
}

function ofRequested(all: Registries, uri: unknown, viewer: Viewer): Scopes {
  return typeof uri === 'string' && uri.length <= STRING_LIMITS.uri ? ofResource(all, uri, viewer) : undefined;
}

function ofSubscriptions(all: Registries, { notifications }: Params, viewer: Viewer): Scopes {
  const uris = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined;
  if (!Array.isArray(uris) || uris.length > MAX_URIS) return undefined;
  return [...new Set(uris.flatMap((uri) => ofRequested(all, uri, viewer) ?? []))];
}

function ofCompletion({ prompts, templates }: Registries, { ref }: Params, viewer: Viewer): Scopes {
  if (!isObject(ref)) return undefined;
  if (ref['type'] === 'ref/prompt') return ofEntry(prompts, ref['name'], viewer);
  return ref['type'] === 'ref/resource' ? ofEntry(templates, ref['uri'], viewer) : undefined;
}
