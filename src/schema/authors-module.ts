/**
 * A module out of the author's own installation, or nothing where it is not installed or the runtime cannot load one
 * synchronously (registering a tool is synchronous). No static `node:` import: this file is part of Worker bundles.
 */
export function authorsModule(specifier: string): Record<string, unknown> | undefined {
  const node = globalThis.process?.getBuiltinModule?.('node:module');
  if (typeof node?.createRequire !== 'function') return undefined;
  for (const base of bases()) {
    try {
      const require = node.createRequire(base);
      return load(require, require.resolve(specifier));
    } catch {
      // Not to be found from here, or not in a form this runtime loads: look from the next place.
    }
  }
  return undefined;
}

/** Hoisted beside us, or only where the program is (pnpm, workspaces). */
function bases(): string[] {
  const { argv, cwd } = globalThis.process;
  return [import.meta.url, argv[1], `${cwd()}/package.json`].filter((base) => typeof base === 'string');
}

/**
 * Libraries ship every file twice, as ESM and as CommonJS, and what one copy registered (descriptions, definitions) the
 * other need not know: so the copy the author's program has loaded is preferred.
 */
function load(require: NodeJS.Require, path: string): Record<string, unknown> {
  if (path in require.cache || !path.endsWith('.cjs')) return require(path);
  for (const extension of ['.mjs', '.js']) {
    try {
      return require(path.replace(/\.cjs$/, extension));
    } catch {
      // There is no such twin, or ESM cannot be required here.
    }
  }
  return require(path);
}
