/** The URLs that an operator writes into options. */

// Names and addresses that lead to this machine or a private network; `URL` has brought them into one form.
const PRIVATE_HOSTS: readonly RegExp[] = [
  /^[^.[\]]+$/,
  /\.(?:localhost|local|internal|test)$/,
  /^(?:127|10)(?:\.\d+){3}$/,
  /^(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+){2}$/,
  /^\[(?:::1|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*)\]$/,
];

const EXAMPLE = 'such as "https://mcp.example.com/mcp"';

/** True for a URL nobody can listen in on: https, or http that does not leave a private network. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && PRIVATE_HOSTS.some((pattern) => pattern.test(hostname)));
}

/** The issuer of an option; a TypeError that names the option if it cannot be one. */
export function issuerUrl(value: unknown, option: string): URL {
  const url = identifierUrl(value, option);
  if (!url.pathname.includes('/.well-known/')) return url;
  throw new TypeError(
    `The option "${option}" must be the issuer, not where its metadata is: leave out "/.well-known/..."`,
  );
}

/** The URL of an option that identifies something; a TypeError that names the option if it cannot. */
export function identifierUrl(value: unknown, option: string): URL {
  const url = endpointUrl(value, option);
  if (/[?#]/.test(String(value)))
    throw new TypeError(`The option "${option}" must be a URL without a query or fragment`);
  return url;
}

/** The URL of an option; a TypeError that names the option and says what is wrong if it is none. */
export function endpointUrl(value: unknown, option: string): URL {
  const fault = faultOf(value);
  if (fault !== undefined) throw new TypeError(`The option "${option}" ${fault}`);
  return new URL(value as string);
}

function faultOf(value: unknown): string | undefined {
  if (value === undefined) return `is missing: it must be a URL, ${EXAMPLE}`;
  if (value instanceof URL) return 'must be a text, not a URL object: pass its "href"';
  if (typeof value !== 'string') return `must be a text with a URL, ${EXAMPLE}`;
  // `localhost:3000` would be taken for a scheme and what follows it.
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return `must be a whole URL with "https://" in front, ${EXAMPLE}`;
  if (!URL.canParse(value)) return `is no URL: it must be one, ${EXAMPLE}`;
  const url = new URL(value);
  if (url.username !== '' || url.password !== '') return 'must be a URL without a user name or password';
  if (isSafeUrl(url)) return undefined;
  return url.protocol === 'http:'
    ? 'must be an https: URL; http: is only for hosts of a private network'
    : 'must be an https: URL';
}
