/** Encodes bytes as base64 with padding. Avoids `Buffer`, which not every runtime has. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // `String.fromCharCode` gets at most 8,192 bytes per call, because too many arguments overflow the stack.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
