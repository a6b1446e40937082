/** Bytes as base64 text, in runtimes that have no Buffer. */

/** Base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // In pieces: a call with too many arguments overflows the stack.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** The bytes of base64 text; undefined for text that is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
