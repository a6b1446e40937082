/** Validates URLs in options. */

// Hostnames and addresses of this machine and of private networks, as `URL` normalizes them.
const PRIVATE_HOSTS: readonly RegExp[] = [
  /^[^.[\]]+$/,
  /\.(?:localhost|local|internal|test)$/,
  /^(?:127|10)(?:\.\d+){3}$/,
  /^(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+){2}$/,
  /^\[(?:::1|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*)\]$/,
];

const EXAMPLE = 'such as "https://mcp.example.com/mcp"';

/** True for a URL that is safe from eavesdropping: https:, or http: within a private network. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && PRIVATE_HOSTS.some((pattern) => pattern.test(hostname)));
}

/** Validates an issuer. Throws a `TypeError` that names the option. */
export function issuerUrl(value: unknown, option: string): URL {
  const url = identifierUrl(value, option);
  if (!url.pathname.includes('/.well-known/')) return url;
  throw new TypeError(
    `The option "${option}" must be the issuer, not where its metadata is: leave out "/.well-known/..."`,
  );
}

/** Validates a URL that is an identifier: no query, no fragment. Throws a `TypeError` that names the option. */
export function identifierUrl(value: unknown, option: string): URL {
  const url = endpointUrl(value, option);
  if (/[?#]/.test(String(value)))
    throw new TypeError(`The option "${option}" must be a URL without a query or fragment`);
  return url;
}

/** Validates a URL. Throws a `TypeError` that names the option and the rule that it violates. */
export function endpointUrl(value: unknown, option: string): URL {
  const fault = faultOf(value);
  if (fault !== undefined) throw new TypeError(`The option "${option}" ${fault}`);
  return new URL(value as string);
}

function faultOf(value: unknown): string | undefined {
  if (value === undefined) return `is missing: it must be a URL, ${EXAMPLE}`;
  if (value instanceof URL) return 'must be a text, not a URL object: pass its "href"';
  if (typeof value !== 'string') return `must be a text with a URL, ${EXAMPLE}`;
  // `URL` would parse `localhost` in `localhost:3000` as the scheme.
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return `must be a whole URL with "https://" in front, ${EXAMPLE}`;
  if (!URL.canParse(value)) return `is no URL: it must be one, ${EXAMPLE}`;
  const url = new URL(value);
  if (url.username !== '' || url.password !== '') return 'must be a URL without a user name or password';
  if (isSafeUrl(url)) return undefined;
  return url.protocol === 'http:'
    ? 'must be an https: URL; http: is only for hosts of a private network'
    : 'must be an https: URL';
}
