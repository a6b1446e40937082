// Cases as JSON, for replay files and reports.

/** JSON text of a case; bytes become base64. */
export function caseToJson(one, indent) {
  return JSON.stringify(
    one,
    (_key, value) => (value?.type === 'Buffer' ? { $base64: Buffer.from(value.data).toString('base64') } : value),
    indent,
  );
}

export function caseFromJson(text) {
  return JSON.parse(text, (_key, value) =>
    typeof value?.$base64 === 'string' ? Buffer.from(value.$base64, 'base64') : value,
  );
}

const MAX_SHOWN = 300;

/** What a case sends, escaped and shortened. */
export function shown({ steps, ...rest }) {
  const lines = (steps ?? []).map((step) =>
    Object.entries(step)
      .map(([name, value]) => `${name} ${shownValue(value)}`)
      .join(', '),
  );
  const kept =
    lines.length > 20 ? [...lines.slice(0, 10), `... ${lines.length - 20} more ...`, ...lines.slice(-10)] : lines;
  return [shownValue(rest), ...kept].map((line) => `  ${line}`).join('\n');
}

function shownValue(value) {
  const text = JSON.stringify(Buffer.isBuffer(value) ? value.toString('latin1') : value) ?? 'undefined';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}... (${text.length} characters)` : text;
}
