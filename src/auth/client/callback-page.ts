/** HTML pages that the browser shows after the OAuth callback. They contain nothing of the request. */

/** Header fields of all pages. The page URL contains the authorization code, so it must not be cached or sent as a referrer. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

export const DONE_PAGE: string = page('Done', 'You can close this page and go back to the application.');

/** Page for callbacks with an error, and for requests that are not the expected callback or arrive too late. */
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
