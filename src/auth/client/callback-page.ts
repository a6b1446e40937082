/** What people see when an authorization server sends them back. Nothing of what came with them is in it. */

/** The header fields of every page. The address of the page holds a code: it is neither kept nor passed on. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Shown when the answer has arrived. */
export const DONE_PAGE: string = page('Done', 'You can close this page and go back to the application.');

/** Shown for an answer that is an error, and for everything that is no answer, or comes too late. */
export const FAILED_PAGE: string = page(
  'Not signed in',
  'This did not succeed, or is already over. Close this page; if the application still asks for it, start again there.',
);

function page(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${title}</title></head>
<body><h1>${title}</h1><p>${text}</p></body>
</html>
`;
}
