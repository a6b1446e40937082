/** What both sides know of an extension: its name, and the words it adds to the protocol. */

import { isObject } from '../jsonrpc/message.ts';
import { METHODS } from './methods.ts';
import type { Settings } from './model/capabilities.ts';
import { isPrefixedKey } from './model/meta.ts';
import type { ProtocolVersion } from './revisions.ts';

/** The words of an extension. */
export interface ExtensionDefinition {
  /** Its name, as in `com.example/feature`. A change that breaks others is another name. */
  readonly id: string;
  /** The revisions in which it can be declared. Default: all of them. */
  readonly revisions?: readonly ProtocolVersion[];
  /** The member of params that HTTP repeats as `Mcp-Name`, by method. */
  readonly mcpNames?: Readonly<Record<string, string>>;
  /** The values it adds to `resultType`, each with the methods whose results may have it. */
  readonly resultTypes?: Readonly<Record<string, readonly string[]>>;
}

/** An extension with what one side declares of it. */
export interface Declaration {
  readonly definition: ExtensionDefinition;
  readonly settings: Settings;
}

const CORE_RESULT_TYPES: ReadonlySet<string> = new Set(['complete', 'input_required']);

/** True if it can be declared in this revision. */
export function isDeclarableIn({ revisions }: ExtensionDefinition, version: string): boolean {
  return revisions === undefined || revisions.some((one) => one === version);
}

/** The member `extensions` of what is declared in this revision; undefined if there is nothing to declare. */
export function extensionCapabilities(
  version: string,
  declarations: readonly Declaration[],
): Readonly<Record<string, Settings>> | undefined {
  const known = declarations.filter(({ definition }) => isDeclarableIn(definition, version));
  if (known.length === 0) return undefined;
  return Object.fromEntries(known.map(({ definition, settings }) => [definition.id, settings]));
}

/** What requests of extensions are about, by method: the member of params that HTTP repeats as `Mcp-Name`. */
export function mcpNamesOf(definitions: readonly ExtensionDefinition[]): ReadonlyMap<string, string> {
  return new Map(definitions.flatMap(({ mcpNames = {} }) => Object.entries(mcpNames)));
}

/** Refuses names that break the rules, that are the protocol's own, or that two extensions want. */
export function checkExtensionDefinitions(definitions: readonly ExtensionDefinition[]): void {
  const given: unknown = definitions;
  if (!Array.isArray(given) || !given.every((one) => isObject(one))) {
    throw new TypeError('"extensions" must be a list of extensions, such as [{ id: "com.example/name" }]');
  }
  const owners = new Map<string, string>();
  const claim = (word: string, id: string): void => {
    const owner = owners.get(word);
    if (owner !== undefined) throw new TypeError(`Extension "${id}": ${word} is taken already, by "${owner}"`);
    owners.set(word, id);
  };
  for (const { id, mcpNames = {}, resultTypes = {} } of definitions) {
    if (typeof id !== 'string' || !isPrefixedKey(id)) {
      throw new TypeError(`Extension "${id}": an id has a prefix and a name, as in "com.example/name"`);
    }
    claim(`the id ${id}`, id);
    for (const method of Object.keys(mcpNames)) {
      checkMethod(id, method);
      claim(`the Mcp-Name of ${method}`, id);
    }
    for (const type of Object.keys(resultTypes)) {
      if (CORE_RESULT_TYPES.has(type)) throw new TypeError(`Extension "${id}": resultType "${type}" is the protocol's`);
      claim(`resultType "${type}"`, id);
    }
  }
}

/** Refuses a method that is the protocol's own. */
export function checkMethod(id: string, method: string): void {
  if (METHODS.has(method)) throw new TypeError(`Extension "${id}": the method ${method} is the protocol's`);
}
