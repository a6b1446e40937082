/** The environment a server gets: what programs need to run at all, and what it is given. Secrets stay with us. */

// Where things are, who the user is, how to talk to a person.
const EVERYWHERE = ['PATH', 'TZ', 'LANG', 'LANGUAGE', 'TMP', 'TEMP', 'TMPDIR'];
// Without these nothing can be fetched in a company's network, neither by the server nor by `npx` or `uvx`.
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

/** Names and values, as a process has them or a caller gives them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What is inherited from `ours`, changed by what is given; a name given as undefined is left out. */
export function environmentOf(
  given: Variables = {},
  ours: Variables = process.env,
  platform: string = process.platform,
): Record<string, string> {
  const onWindows = platform === 'win32';
  // Names that differ in case only are one name there.
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
  // A function exported by a shell is code.
  if (value.startsWith('()')) return false;
  // A proxy's address is no secret, but the name and password that may stand in it are.
  return !(PROXIES.includes(key.toUpperCase()) && value.includes('@'));
}
