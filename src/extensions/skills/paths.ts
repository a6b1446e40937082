/** Conversion between file paths within a skill and percent-encoded paths in URIs. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: names with control characters are refused
const NOT_IN_NAMES = /[\u0000-\u001f\u007f/\\]/;

/** Percent-encodes the names of a path. Returns undefined if a name is empty, `.` or `..`, or has an invalid character. */
export function encodePath(path: string): string | undefined {
  const names = path.split('/');
  if (!names.every(isPlainName)) return undefined;
  try {
    return names.map(encodeURIComponent).join('/');
  } catch {
    // `encodeURIComponent` throws for lone surrogates.
    return undefined;
  }
}

/** Decodes a percent-encoded path. Returns undefined for a query, a fragment, or a name that is empty, `.`, `..` or invalid. */
export function decodePath(text: string): string | undefined {
  if (/[?#]/.test(text)) return undefined;
  try {
    const names = text.split('/').map(decodeURIComponent);
    return names.every(isPlainName) ? names.join('/') : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves `.` and `..` in a relative path. Returns undefined if the path leads out of the skill. */
export function resolvePath(path: string): string | undefined {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.join('/');
}

function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !NOT_IN_NAMES.test(name);
}
