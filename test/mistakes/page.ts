/** The page of the documentation that has the mistakes as its headings. */

import type { Mistake } from './mistake.ts';

const WHERE: Readonly<Record<Mistake['where'], string>> = {
  thrown: 'The call throws it.',
  rejected: 'The call rejects with it.',
  stderr: 'It stands on stderr.',
  'tool result': 'The model gets it as the result of the tool.',
  'HTTP response': 'The client gets it in the HTTP response.',
  onError: '`onError` gets it (by default it stands on stderr); the client gets `Internal error` with a reference.',
  symptom: 'JavaScript throws it.',
};

const OPENING = `# Troubleshooting

The headings are the messages, with \`...\` for what differs from case to case. The page is generated from the test that makes each
of these mistakes (\`test/mistakes\`). [errors.md](errors.md) has the classes and codes of errors.
`;

const CLOSING = `## Without a message

### The process of a client does not end

A connection keeps the process alive: a started program is a child process, and an HTTP client may have a stream open. Call
\`await client.close()\`, or declare the connection with \`await using\`.

### Progress arrives late, all at once

A proxy between client and server collects the response before it passes it on. Switch that off: for nginx the server sends
\`X-Accel-Buffering: no\`, other proxies have their own setting.

### A tool returns nothing

A handler that returns \`undefined\` gives a result with empty content. Return a text for the model.

### Progress that a finished call reports is missing

Notifications of a call end with its result. \`ctx.reportProgress\` after that has no effect.
`;

/** The text of the page. */
export function pageOf(sections: ReadonlyMap<string, readonly Mistake[]>): string {
  const parts = [...sections].map(([title, mistakes]) => `## ${title}\n\n${mistakes.map(entryOf).join('\n')}`);
  return [OPENING, ...parts, CLOSING].join('\n');
}

function entryOf({ message, where, cause, remedy }: Mistake): string {
  return `### \`${message}\`\n\n${cause} ${WHERE[where]}\n\n${remedy}\n`;
}
