/** `Extensions`: the hooks of all extensions of a connection. */

import type { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import {
  checkExtensionDefinitions,
  checkMethod,
  type Declaration,
  isDeclarableIn,
  mcpNamesOf,
} from '../protocol/extension-definition.ts';
import { encodeHeaderValue } from '../protocol/http/http-headers.ts';
import type { Meta } from '../protocol/model/meta.ts';
import type { Conversation } from './conversation.ts';
import type { ClientExtension, ClientHooks, ExtensionCall, ExtensionConnection, ResultResolver } from './extension.ts';
import type { HeaderFields } from './http-options.ts';
import type { ClientMiddleware } from './middleware.ts';

/** Version and capabilities of a server, which decide whether an extension can be used with the server. */
type Partner = Pick<Conversation, 'version' | 'server'>;

interface Hearer {
  readonly extension: ClientExtension;
  hear(params: Params, peer: ExtensionConnection): unknown;
}

interface ResultType {
  readonly methods: readonly string[];
  readonly finisher: ResultResolver | undefined;
}

const MCP_NAME = 'mcp-name';

export class Extensions {
  readonly declarations: readonly Declaration[];
  readonly #middleware: readonly ClientMiddleware[];
  readonly #mcpNames: ReadonlyMap<string, string>;
  readonly #resultTypes: ReadonlyMap<string, ResultType>;
  readonly #hearers: ReadonlyMap<string, readonly Hearer[]>;
  readonly #withMeta: readonly ClientExtension[];
  readonly #retries: readonly NonNullable<ClientHooks['retry']>[];

  /** Throws a TypeError that names the extension if its definition is invalid or conflicts with another one. */
  constructor(extensions: readonly ClientExtension[]) {
    checkExtensionDefinitions(extensions);
    this.declarations = extensions.map((one) => ({ definition: one, settings: one.client?.settings ?? {} }));
    this.#middleware = extensions.flatMap(({ client }) => client?.middleware ?? []);
    this.#mcpNames = mcpNamesOf(extensions);
    this.#resultTypes = new Map(extensions.flatMap(resultTypesOf));
    this.#hearers = hearersOf(extensions);
    this.#retries = extensions.flatMap(({ client }) => client?.retry ?? []);
    this.#withMeta = extensions.filter(({ client }) => client?.requestMeta !== undefined);
  }

  /** Returns the given middleware and, inside it, the middleware of the extensions. */
  inside(middleware: readonly ClientMiddleware[]): readonly ClientMiddleware[] {
    return this.#middleware.length === 0 ? middleware : [...middleware, ...this.#middleware];
  }

  /** Returns true if an extension defines this result type for the method. */
  knows(resultType: string, method: string): boolean {
    return this.#resultTypes.get(resultType)?.methods.includes(method) === true;
  }

  /** Returns the resolver of a result type for the method, or undefined if no extension has one. */
  finisherOf(resultType: string, method: string): ResultResolver | undefined {
    return this.knows(resultType, method) ? this.#resultTypes.get(resultType)?.finisher : undefined;
  }

  /** Returns params for a second attempt of a failed call, from the first `retry` hook that returns any. */
  retry(
    error: RpcError,
    call: Pick<ExtensionCall, 'method' | 'params'>,
    peer: ExtensionConnection,
  ): Params | undefined {
    for (const retry of this.#retries) {
      const params = retry(error, call, peer);
      if (params) return params;
    }
    return undefined;
  }

  /** Returns the `_meta` members of extensions for a request. Members in `params._meta` take precedence. */
  requestMeta(method: string, params: Params, partner: Partner): Meta | undefined {
    if (this.#withMeta.length === 0) return undefined;
    let meta: Meta | undefined;
    for (const extension of this.#withMeta) {
      if (isShared(extension, partner)) meta = { ...meta, ...extension.client?.requestMeta?.(method, params) };
    }
    const given = params['_meta'];
    return meta && isObject(given) ? { ...meta, ...given } : meta;
  }

  /** Adds `Mcp-Name` to `own`, the headers from the call options, if an extension defines that header for the method. */
  headers(method: string, params: Params, own: HeaderFields | undefined): HeaderFields | undefined {
    const member = this.#mcpNames.get(method);
    const name = member === undefined ? undefined : params[member];
    if (typeof name !== 'string') return own;
    const others = Object.entries(own ?? {}).filter(([field]) => field.toLowerCase() !== MCP_NAME);
    return { ...Object.fromEntries(others), [MCP_NAME]: encodeHeaderValue(name) };
  }

  /** Returns the notification handlers of those extensions that the server declared. */
  hearersOf(method: string, partner: Partner): readonly Hearer[] {
    const hearers = this.#hearers.get(method);
    return hearers ? hearers.filter(({ extension }) => isShared(extension, partner)) : [];
  }
}

// An extension is used only if client and server have declared it.
function isShared(extension: ClientExtension, { version, server }: Partner): boolean {
  const declared: unknown = server.capabilities.extensions;
  return isDeclarableIn(extension, version) && isObject(declared) && Object.hasOwn(declared, extension.id);
}

function resultTypesOf({ id, resultTypes = {}, client }: ClientExtension): [string, ResultType][] {
  const finishers = new Map(Object.entries(client?.resultTypes ?? {}));
  const unknown = [...finishers.keys()].find((type) => !Object.hasOwn(resultTypes, type));
  if (unknown !== undefined) {
    throw new TypeError(`Extension "${id}": client.resultTypes has "${unknown}", which is not one of its resultTypes`);
  }
  return Object.entries(resultTypes).map(([type, methods]) => [type, { methods, finisher: finishers.get(type) }]);
}

function hearersOf(extensions: readonly ClientExtension[]): ReadonlyMap<string, readonly Hearer[]> {
  const hearers = new Map<string, Hearer[]>();
  for (const extension of extensions) {
    for (const [method, hear] of Object.entries(extension.client?.notifications ?? {})) {
      checkMethod(extension.id, method);
      hearers.set(method, [...(hearers.get(method) ?? []), { extension, hear }]);
    }
  }
  return hearers;
}
