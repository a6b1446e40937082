/** Environment of a server process: an allowlist of inherited variables, and the variables of `env`. Inherits no secrets. */

// Search path, time zone, language and temporary directories.
const EVERYWHERE = ['PATH', 'TZ', 'LANG', 'LANGUAGE', 'TMP', 'TEMP', 'TMPDIR'];
// Certificates and proxies: company networks need them, for the server and for `npx` and `uvx`.
const CERTIFICATES = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'];
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];

const POSIX: ReadonlySet<string> = new Set([
  ...EVERYWHERE,
  ...CERTIFICATES,
  ...PROXIES,
  ...PROXIES.map((name) => name.toLowerCase()),
  'HOME',
  'LOGNAME',
  'SHELL',
  'TERM',
  'USER',
]);

const WINDOWS: ReadonlySet<string> = new Set([
  ...EVERYWHERE,
  ...CERTIFICATES,
  ...PROXIES,
  'ALLUSERSPROFILE',
  'APPDATA',
  'COMMONPROGRAMFILES',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'USERDOMAIN',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]);

const FAMILIES = /^(?:LC|XDG)_/;

export type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the allowed variables of `ours`, overridden by `given`. A value of undefined removes the variable. */
export function environmentOf(
  given: Variables = {},
  ours: Variables = process.env,
  platform: string = process.platform,
): Record<string, string> {
  const onWindows = platform === 'win32';
  // The names of environment variables are case-insensitive on Windows.
  const keyOf = (name: string): string => (onWindows ? name.toUpperCase() : name);
  const result = new Map<string, readonly [name: string, value: string]>();
  for (const [name, value] of Object.entries(ours)) {
    const key = keyOf(name);
    const inherited = onWindows ? WINDOWS.has(key) : POSIX.has(key) || FAMILIES.test(key);
    if (inherited && value !== undefined && isHarmless(key, value)) result.set(key, [name, value]);
  }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) result.delete(keyOf(name));
    else result.set(keyOf(name), [name, String(value)]);
  }
  return Object.fromEntries(result.values());
}

function isHarmless(key: string, value: string): boolean {
  // Bash exports functions as variables that begin with `()`. They contain code.
  if (value.startsWith('()')) return false;
  // A proxy URL with "@" contains a user name and a password.
  return !(PROXIES.includes(key.toUpperCase()) && value.includes('@'));
}
