/** `Mcp-Param-*` headers: which arguments of a tool its input schema asks to be sent as HTTP headers as well. */
export type ParamHeaders =
  | { readonly headers: ReadonlyMap<string, readonly string[]> }
  /** Why the annotations break the rules, which makes the whole tool definition invalid. */
  | { readonly fault: string };

const annotation = 'x-mcp-header';
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const carriers: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** Keywords whose members are named by the author: a property may itself be called `x-mcp-header`. */
const named: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  '$defs',
  'definitions',
]);

/** Keywords that hold values, not schemas: what stands in them is data, whatever it looks like. */
const data: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

const maxDepth = 200;
const maxVisited = 100_000;

/** The headers as written in the schema, without `Mcp-Param-`, each with the path of its argument. */
export function paramHeaders(inputSchema: unknown): ParamHeaders {
  const headers = new Map<string, readonly string[]>();
  const taken = new Set<string>();
  let visited = 0;
  const fault = read(inputSchema, [], true, 0);
  return fault === undefined ? { headers } : { fault };

  /** `path` is the way through `properties` alone; once another keyword was passed, `reachable` is false. */
  function read(schema: unknown, path: readonly string[], reachable: boolean, depth: number): string | undefined {
    if (typeof schema !== 'object' || schema === null) return undefined;
    if (depth > maxDepth || ++visited > maxVisited) return 'the schema is too large or nested too deep';
    if (Array.isArray(schema)) return first(schema, (each) => read(each, path, false, depth + 1));
    if (Object.hasOwn(schema, annotation)) {
      const refused = annotate(schema as Schema, path, reachable);
      if (refused !== undefined) return refused;
    }
    return first(Object.entries(schema), ([keyword, value]) => {
      if (keyword === annotation || data.has(keyword)) return undefined;
      if (!named.has(keyword)) return read(value, path, false, depth + 1);
      if (typeof value !== 'object' || value === null) return undefined;
      const reaches = reachable && keyword === 'properties';
      return first(Object.entries(value), ([name, each]) => read(each, [...path, name], reaches, depth + 1));
    });
  }

  function annotate(schema: Schema, path: readonly string[], reachable: boolean): string | undefined {
    const name = schema[annotation];
    if (!reachable || path.length === 0) return `${annotation} is only allowed on what properties alone lead to`;
    const at = (): string => `${annotation} of ${shown(path)}`;
    if (typeof name !== 'string' || !token.test(name))
      return `${at()} must be an HTTP token: letters, digits and !#$%&'*+-.^_\`|~`;
    if (!carriers.has(schema.type)) return `${at()} needs a property of type string, integer or boolean`;
    // Header names are compared without regard to case.
    if (taken.has(name.toLowerCase())) return `${at()} names a header that another property has`;
    taken.add(name.toLowerCase());
    headers.set(name, path);
    return undefined;
  }
}

interface Schema {
  readonly [annotation]?: unknown;
  readonly type?: unknown;
}

function first<T>(items: readonly T[], read: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = read(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

// Each name is cut before they are joined: a schema of the peer may have names of megabytes.
function shown(path: readonly string[]): string {
  const name = path.map((one) => one.slice(0, 60)).join('.');
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name);
}
