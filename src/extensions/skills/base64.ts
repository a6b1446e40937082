/** Base64 for all runtimes, without the `Buffer` of Node. */

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // In chunks, because a call with too many arguments overflows the stack.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** Decodes base64. Returns undefined if the text is malformed. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
