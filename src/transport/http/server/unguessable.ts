/** Names that nobody can guess. */

/** 192 random bits, in letters that are safe in headers and URLs. */
export function unguessable(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
