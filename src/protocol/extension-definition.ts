/** Definitions of extensions: ids, revisions and result types. */

import { isObject } from '../jsonrpc/message.ts';
import { METHODS } from './methods.ts';
import type { Settings } from './model/capabilities.ts';
import { isPrefixedKey } from './model/meta.ts';
import type { ProtocolVersion } from './revisions.ts';

/** The part of an extension that server and client share. */
export interface ExtensionDefinition {
  /** Identifier with a prefix, such as `com.example/feature`. A breaking change of the extension requires a new id. */
  readonly id: string;
  /** Revisions in which the extension can be declared. Default: all. */
  readonly revisions?: readonly ProtocolVersion[];
  /** Maps the extension's methods to the name of the params member that HTTP requests repeat in the header `Mcp-Name`. */
  readonly mcpNames?: Readonly<Record<string, string>>;
  /** `resultType` values of the extension, each with the methods whose results can have the value. */
  readonly resultTypes?: Readonly<Record<string, readonly string[]>>;
}

export interface Declaration {
  readonly definition: ExtensionDefinition;
  readonly settings: Settings;
}

const CORE_RESULT_TYPES: ReadonlySet<string> = new Set(['complete', 'input_required']);

export function isDeclarableIn({ revisions }: ExtensionDefinition, version: string): boolean {
  return revisions === undefined || revisions.some((one) => one === version);
}

/** Returns the `extensions` member of capabilities in a revision; undefined if the revision allows none of the extensions. */
export function extensionCapabilities(
  version: string,
  declarations: readonly Declaration[],
): Readonly<Record<string, Settings>> | undefined {
  const known = declarations.filter(({ definition }) => isDeclarableIn(definition, version));
  if (known.length === 0) return undefined;
  return Object.fromEntries(known.map(({ definition, settings }) => [definition.id, settings]));
}

export function mcpNamesOf(definitions: readonly ExtensionDefinition[]): ReadonlyMap<string, string> {
  return new Map(definitions.flatMap(({ mcpNames = {} }) => Object.entries(mcpNames)));
}

/** Throws a `TypeError` for a malformed id, or a method or result type that the protocol or another extension defines. */
export function checkExtensionDefinitions(definitions: readonly ExtensionDefinition[]): void {
  const given: unknown = definitions;
  if (!Array.isArray(given) || !given.every((one) => isObject(one))) {
    throw new TypeError('"extensions" must be an array of extensions, such as [{ id: "com.example/name" }]');
  }
  const owners = new Map<string, string>();
  const claim = (name: string, id: string): void => {
    const owner = owners.get(name);
    if (owner !== undefined) throw new TypeError(`Extension "${id}": ${name} is already used by "${owner}"`);
    owners.set(name, id);
  };
  for (const { id, mcpNames = {}, resultTypes = {} } of definitions) {
    if (typeof id !== 'string' || !isPrefixedKey(id)) {
      throw new TypeError(`Extension "${id}": "id" must have a prefix and a name, such as "com.example/name"`);
    }
    claim(`the id ${id}`, id);
    for (const method of Object.keys(mcpNames)) {
      checkMethod(id, method);
      claim(`the Mcp-Name of ${method}`, id);
    }
    for (const type of Object.keys(resultTypes)) {
      if (CORE_RESULT_TYPES.has(type))
        throw new TypeError(`Extension "${id}": resultType "${type}" belongs to the protocol`);
      claim(`resultType "${type}"`, id);
    }
  }
}

/** Throws a `TypeError` if the protocol already defines the method. `id` names the extension in the error message. */
export function checkMethod(id: string, method: string): void {
  if (METHODS.has(method)) throw new TypeError(`Extension "${id}": the method ${method} belongs to the protocol`);
}
