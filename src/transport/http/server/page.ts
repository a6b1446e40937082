/** The HTML page that browsers get at the URL of the endpoint. */

import type { Implementation } from '../../../protocol/model/implementation.ts';
import type { Tool } from '../../../protocol/model/tools.ts';
import type { Fields } from './http-exchange.ts';

/** Header fields of the page. The content security policy forbids scripts, external resources and framing. */
export const PAGE: Fields = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const MAX_TOOLS = 200;

/** Returns the HTML of the page, with a list of `tools` if given. */
export function pageFor(
  info: Implementation,
  url: string,
  instructions: string | undefined,
  tools: readonly Tool[] | undefined,
): string {
  const title = escaped(info.title ?? info.name);
  const json = JSON.stringify({ mcpServers: { [info.name]: { type: 'http', url } } }, null, 2);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; color: #222; background: #fff }
pre, code { font: 14px/1.5 ui-monospace, monospace; background: #f3f3f3 }
pre { padding: 1rem; overflow-x: auto }
dt { font-weight: 600 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } pre, code { background: #262626 } }
</style>
</head>
<body>
<h1>${title}</h1>
<p>This is an MCP server: it is made for AI applications, not for browsers. Version ${escaped(info.version)}.</p>
${info.description === undefined ? '' : `<p>${escaped(info.description)}</p>`}
${instructions === undefined ? '' : `<p>${escaped(instructions)}</p>`}
<h2>Connect</h2>
<p>Most clients take a configuration like this:</p>
<pre>${escaped(json)}</pre>
<p>Claude Code:</p>
<pre>${escaped(`claude mcp add --transport http ${shellWord(info.name)} ${shellWord(url)}`)}</pre>
<p>VS Code:</p>
<pre>${escaped(`code --add-mcp ${shellWord(JSON.stringify({ name: info.name, type: 'http', url }))}`)}</pre>
${tools === undefined ? '' : toolList(tools)}
</body>
</html>
`;
}

function toolList(tools: readonly Tool[]): string {
  const shown = tools.slice(0, MAX_TOOLS).map(({ name, title, description }) => {
    const heading = title === undefined ? '' : ` ${escaped(title)}`;
    return `<dt><code>${escaped(name)}</code>${heading}</dt><dd>${escaped(description ?? '')}</dd>`;
  });
  const more = tools.length > MAX_TOOLS ? `<p>And ${tools.length - MAX_TOOLS} more.</p>` : '';
  return `<h2>Tools</h2>\n<dl>\n${shown.join('\n')}\n</dl>${more}`;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES.get(char) ?? '');
}

// Quotes an argument for POSIX shells, because users copy the command.
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
