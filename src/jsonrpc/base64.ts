/** Encodes bytes as base64, with padding. Unlike `Buffer`, it exists in every runtime. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // In chunks, since a call with too many arguments overflows the stack.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** Decodes base64; undefined for invalid text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
