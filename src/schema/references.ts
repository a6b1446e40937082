/** Where the references of a schema lead, within the document and nowhere else. */

import { isObject } from '../jsonrpc/message.ts';
import type { JsonObject } from './json.ts';
import { unescaped } from './pointer.ts';

/** A document or, where a subschema has an `$id` of its own, a part of one: what `#` means inside it. */
export interface Resource {
  readonly uri: string;
  readonly path: string;
  readonly root: JsonObject;
  readonly anchors: Map<string, JsonObject>;
  readonly dynamicAnchors: Map<string, JsonObject>;
}

export type Target =
  | { readonly schema: JsonObject | boolean; readonly path: string; readonly resource: Resource }
  | { readonly missing: 'external' | 'unresolved' };

/** Where references may lead: only inside the document they stand in, since nothing is ever fetched. */
export class References {
  readonly #resources = new Map<string, Resource>();
  readonly #dynamicAnchors = new Set<string>();
  /** The same `$dynamicAnchor` in two places: then where a `$dynamicRef` leads depends on how one came to it. */
  hasDynamicScope = false;

  /** The resource of a schema with this `$id`, or of the whole document. */
  open(root: JsonObject, path: string, id: string, outer?: Resource): Resource {
    const uri = withoutFragment(resolve(id, outer?.uri ?? 'schema://document/') ?? `schema://document${path}`);
    const resource: Resource = { uri, path, root, anchors: new Map(), dynamicAnchors: new Map() };
    if (!this.#resources.has(uri)) this.#resources.set(uri, resource);
    return resource;
  }

  anchor(resource: Resource, name: string, schema: JsonObject, dynamic: boolean): void {
    resource.anchors.set(name, schema);
    if (!dynamic) return;
    resource.dynamicAnchors.set(name, schema);
    if (this.#dynamicAnchors.has(name)) this.hasDynamicScope = true;
    this.#dynamicAnchors.add(name);
  }

  target(ref: string, from: Resource): Target {
    const hash = ref.indexOf('#');
    const uri = hash === 0 || ref === '' ? from.uri : withoutFragment(resolve(ref, from.uri) ?? ref);
    const resource = uri === from.uri ? from : this.#resources.get(uri);
    if (resource === undefined) return { missing: 'external' };
    const fragment = decode(hash < 0 ? '' : ref.slice(hash + 1));
    if (fragment === undefined) return { missing: 'unresolved' };
    if (fragment === '') return { schema: resource.root, path: resource.path, resource };
    if (fragment.startsWith('/')) return follow(resource, fragment);
    const schema = resource.anchors.get(fragment);
    return schema === undefined
      ? { missing: 'unresolved' }
      : { schema, path: `${resource.path}#${fragment}`, resource };
  }
}

function follow(resource: Resource, fragment: string): Target {
  let place: unknown = resource.root;
  for (const token of fragment.slice(1).split('/')) {
    const key = unescaped(token);
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return { missing: 'unresolved' };
    place = (place as JsonObject)[key];
  }
  if (!isObject(place) && typeof place !== 'boolean') return { missing: 'unresolved' };
  return { schema: place, path: resource.path + fragment, resource };
}

function resolve(uri: string, base: string): string | undefined {
  return URL.canParse(uri, base) ? new URL(uri, base).href : undefined;
}

function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#');
  return hash < 0 ? uri : uri.slice(0, hash);
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
