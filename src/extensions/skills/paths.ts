/** Paths of files within a skill, and how a URI writes them. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be in a name
const NOT_IN_NAMES = /[\u0000-\u001f\u007f/\\]/;

/** The path with its names put in percent-encoding; undefined if it leads elsewhere, or is no path. */
export function encodePath(path: string): string | undefined {
  const names = path.split('/');
  if (!names.every(isPlainName)) return undefined;
  try {
    return names.map(encodeURIComponent).join('/');
  } catch {
    // Half a surrogate pair.
    return undefined;
  }
}

/** The path that part of a URI stands for; undefined if it leads elsewhere, or is no path. */
export function decodePath(text: string): string | undefined {
  if (/[?#]/.test(text)) return undefined;
  try {
    const names = text.split('/').map(decodeURIComponent);
    return names.every(isPlainName) ? names.join('/') : undefined;
  } catch {
    return undefined;
  }
}

/** Follows `.` and `..` in a path as it may stand in a skill's text; undefined if it leads out of the skill. */
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
