/**
 * Loads a module from the author's installation; undefined if it is not installed or the runtime cannot load modules
 * synchronously (`registerTool` is synchronous). No static `node:` import: this file is part of Worker bundles.
 */
export function requireFromApp(specifier: string): Record<string, unknown> | undefined {
  const node = globalThis.process?.getBuiltinModule?.('node:module');
  if (typeof node?.createRequire !== 'function') return undefined;
  for (const base of bases()) {
    try {
      const require = node.createRequire(base);
      return load(require, require.resolve(specifier));
    } catch {
      // Not found from this base, or not loadable by this runtime: the next base may have it.
    }
  }
  return undefined;
}

/**
 * Returns the places from which the module is looked up: it may be hoisted beside this package, or installed only for the
 * program (pnpm, workspaces).
 */
function bases(): string[] {
  const { argv, cwd } = globalThis.process;
  return [import.meta.url, argv[1], `${cwd()}/package.json`].filter((base) => typeof base === 'string');
}

/**
 * Loads a module, if possible the copy of it that the program has loaded. Libraries ship every file as ESM and as CommonJS, and
 * the metadata that is registered with one copy (descriptions, definitions) is missing from the other.
 */
function load(require: NodeJS.Require, path: string): Record<string, unknown> {
  if (path in require.cache || !path.endsWith('.cjs')) return require(path);
  for (const extension of ['.mjs', '.js']) {
    try {
      return require(path.replace(/\.cjs$/, extension));
    } catch {
      // There is no ESM file, or this runtime cannot require it.
    }
  }
  return require(path);
}
