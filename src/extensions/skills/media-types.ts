/** MIME types of skill files, by file extension. */

const TEXT = new Map(
  Object.entries({
    md: 'text/markdown',
    markdown: 'text/markdown',
    txt: 'text/plain',
    csv: 'text/csv',
    css: 'text/css',
    htm: 'text/html',
    html: 'text/html',
    xml: 'application/xml',
    svg: 'image/svg+xml',
    json: 'application/json',
    jsonl: 'application/jsonl',
    yaml: 'application/yaml',
    yml: 'application/yaml',
    toml: 'application/toml',
    sql: 'application/sql',
    js: 'text/javascript',
    mjs: 'text/javascript',
    cjs: 'text/javascript',
    ts: 'text/x-typescript',
    py: 'text/x-python',
    rb: 'text/x-ruby',
    go: 'text/x-go',
    rs: 'text/x-rust',
    sh: 'application/x-sh',
  }),
);

const BYTES = new Map(
  Object.entries({
    pdf: 'application/pdf',
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    ico: 'image/x-icon',
    wav: 'audio/wav',
    mp3: 'audio/mpeg',
    mp4: 'video/mp4',
    zip: 'application/zip',
    gz: 'application/gzip',
    wasm: 'application/wasm',
    ttf: 'font/ttf',
    otf: 'font/otf',
    woff2: 'font/woff2',
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  }),
);

/** Returns the MIME type, and the text if the file is served as text. Other files are served as base64. */
export function kindOf(path: string, bytes: Uint8Array): { readonly mimeType: string; readonly text?: string } {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const known = BYTES.get(ending);
  if (known !== undefined) return { mimeType: known };
  const text = textOf(bytes);
  const mimeType = TEXT.get(ending);
  if (text !== undefined && (mimeType !== undefined || !text.includes('\0'))) {
    return { mimeType: mimeType ?? 'text/plain', text };
  }
  return { mimeType: mimeType ?? 'application/octet-stream' };
}

/** Decodes UTF-8 and keeps a byte order mark, so that the text encodes to the same bytes. Returns undefined if invalid. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
