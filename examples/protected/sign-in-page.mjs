/** The one page of the authorization server: who are you, and may this client do what it asks for? */

/** The page. Whatever came from a client is shown as text. */
export function page({ client = 'A client without a name', name, scope = '', resource = 'this server' }) {
  const who = name
    ? `<p>You are ${text(name)}.</p>`
    : '<p><label>Your name <input name="name" value="ada" required></label></p>';
  const scopes = scope.split(' ').filter(Boolean);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Sign in</title></head>
<body>
<h1>Sign in</h1>
<p>${text(client)} would like to use ${text(String(resource))} for you:</p>
<ul>${scopes.map((one) => `<li>${text(one)}</li>`).join('')}</ul>
<form method="post" action="">
${who}
<button name="allow" value="yes">Allow</button>
<button name="deny" value="yes" formnovalidate>Deny</button>
</form>
</body>
</html>
`;
}

const ESCAPES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

function text(raw) {
  return raw.replaceAll(/[&<>"]/g, (character) => ESCAPES.get(character));
}

/** The fields of a form that was sent. */
export async function readForm(request) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return new URLSearchParams(body);
}
