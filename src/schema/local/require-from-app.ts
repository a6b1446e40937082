/**
 * Loads a module that the application has installed, synchronously, because `registerTool` is synchronous. Returns undefined if
 * the module is missing or the runtime has no `require`. No static `node:` import, because Worker bundles contain this file.
 */
export function requireFromApp(specifier: string): Record<string, unknown> | undefined {
  const node = globalThis.process?.getBuiltinModule?.('node:module');
  if (typeof node?.createRequire !== 'function') return undefined;
  for (const base of bases()) {
    try {
      const require = node.createRequire(base);
      return load(require, require.resolve(specifier));
    } catch {
      // The module cannot be found or loaded from `base`. The loop tries the next base.
    }
  }
  return undefined;
}

// Returns the files from which modules are resolved: this file, the main script and the working directory's `package.json`. A
// module can be installed beside this package, or only for the application (pnpm, workspaces).
function bases(): string[] {
  const { argv, cwd } = globalThis.process;
  return [import.meta.url, argv[1], `${cwd()}/package.json`].filter((base) => typeof base === 'string');
}

// Loads a module, if possible the copy that the application has loaded. Libraries ship an ESM and a CommonJS copy, and metadata
// registered with one copy (descriptions, definitions) is missing from the other.
function load(require: NodeJS.Require, path: string): Record<string, unknown> {
  if (path in require.cache || !path.endsWith('.cjs')) return require(path);
  for (const extension of ['.mjs', '.js']) {
    try {
      return require(path.replace(/\.cjs$/, extension));
    } catch {
      // No ESM file has this extension, or the runtime cannot `require` ESM. The CommonJS file is the last choice.
    }
  }
  return require(path);
}
