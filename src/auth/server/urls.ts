/** The URLs that an operator writes into options. */

// Names and addresses that lead to this machine or a private network; `URL` has brought them into one form.
const PRIVATE_HOSTS: readonly RegExp[] = [
  /^[^.[\]]+$/,
  /\.(?:localhost|local|internal|test)$/,
  /^(?:127|10)(?:\.\d+){3}$/,
  /^(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+){2}$/,
  /^\[(?:::1|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*)\]$/,
];

/** True for a URL nobody can listen in on: https, or http that does not leave a private network. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && PRIVATE_HOSTS.some((pattern) => pattern.test(hostname)));
}

/** The URL of an option that identifies something; a TypeError that names the option if it cannot. */
export function identifierUrl(value: unknown, option: string): URL {
  const url = endpointUrl(value, option);
  if (/[?#]/.test(String(value)))
    throw new TypeError(`The option "${option}" must be a URL without a query or fragment`);
  return url;
}

/** The URL of an option; a TypeError that names the option if it is none. */
export function endpointUrl(value: unknown, option: string): URL {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !isSafeUrl(url) || url.username !== '' || url.password !== '') {
    throw new TypeError(
      `The option "${option}" must be an https: URL without a user name; http: only for hosts of a private network`,
    );
  }
  return url;
}
