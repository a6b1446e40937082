/** Reads files of skills from a server, and verifies them against the skill's entry. */

import type { ExtensionConnection, RequestOptions } from '../../entries/client.ts';
import { fromBase64 } from './base64.ts';
import { quoted, SkillError, type SkillErrorCode } from './errors.ts';
import { digestOf, isObject, type SkillResource } from './skill.ts';

/** Reads a file. Rejects with a `SkillError` if the size or digest differs from `listed`, or the size exceeds `maxBytes`. */
export async function readVerified(
  peer: ExtensionConnection,
  listed: Pick<SkillResource, 'uri'> & Partial<SkillResource>,
  maxBytes: number,
  options?: RequestOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const { uri, digest, size } = listed;
  const refuse = (code: SkillErrorCode, fault: string): SkillError =>
    new SkillError(code, `The file at ${quoted(uri)} ${fault}`, uri);
  const wrongSize = (): SkillError =>
    size === undefined || size > maxBytes
      ? refuse('too-large', `has more than ${maxBytes} bytes`)
      : refuse('size-mismatch', `has not the ${size} bytes that its skill says`);
  // A cached response can be older than the skill's entry, and would fail the digest check until the response expires.
  const { contents } = await peer.request('resources/read', { uri }, { fresh: true, ...options });
  const most = Math.min(size ?? maxBytes, maxBytes);
  const found = Array.isArray(contents) ? contents.find((one) => isObject(one) && one['uri'] === uri) : undefined;
  const { text, blob } = (found ?? {}) as { readonly text?: unknown; readonly blob?: unknown };
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  // Oversized data is not decoded. A UTF-16 code unit is at least one byte of UTF-8, and 4 characters of base64 are 3 bytes.
  if (typeof text === 'string') {
    if (text.length > most) throw wrongSize();
    bytes = new TextEncoder().encode(text);
  } else if (typeof blob === 'string') {
    if (blob.length > Math.ceil(most / 3) * 4) throw wrongSize();
    bytes = fromBase64(blob);
  }
  if (!bytes) throw refuse('malformed', 'was answered with neither text nor bytes of it');
  if (bytes.length > most || (size !== undefined && bytes.length !== size)) throw wrongSize();
  if (digest !== undefined && (await digestOf(bytes)) !== digest) {
    throw refuse('digest-mismatch', 'has not the content that its skill says; ask for the skill again');
  }
  return bytes;
}
