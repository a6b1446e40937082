/** Views, the HTML pages that hosts show with results of tools: validation, and conversion to a resource. */

import type { ResourceContents } from '../../entries/mcpp.ts';
import type { Context, ResourceConfig } from '../../entries/server.ts';
import {
  APP_MIME_TYPE,
  type AppSettings,
  CSP_LISTS,
  isDomain,
  isObject,
  isOrigin,
  isViewUri,
  PERMISSIONS,
} from './words.ts';

/** An HTML page and its display settings. Tools that get the same object share one resource. */
export interface AppView
  extends AppSettings,
    Pick<ResourceConfig, 'name' | 'title' | 'description' | 'icons' | 'annotations' | 'cache' | 'visible' | 'scopes'> {
  /** URI of the view, beginning with `ui://`. Default: `ui://<name>/view.html`, with the name of its first tool. */
  readonly uri?: string;
  /** HTML document that begins with a doctype, or a function that returns the document for each `resources/read`. */
  readonly html: string | ((ctx: Context) => string | Promise<string>);
}

/** A validated view, as arguments for `registerResource`. */
export interface ReadyView {
  readonly uri: string;
  readonly config: ResourceConfig;
  /** Returns the contents for `resources/read`. Fails if `AppView.html` returns something other than an HTML document. */
  readonly read: (ctx: Context) => ResourceContents | Promise<ResourceContents>;
}

/** Validates a view. Throws a `TypeError` for an invalid view, with a message that begins with `what`. */
export function readyView(what: string, view: AppView, defaultUri: string): ReadyView {
  if (!isObject(view)) throw new TypeError(`${what}: ui must be an object with "html"`);
  const { uri = defaultUri, html, csp, permissions, domain, prefersBorder, ...shown } = view;
  if (!isViewUri(uri)) throw new TypeError(`${what}: ui.uri must be a URI that begins with ui://`);
  const settings = settingsOf(what, { csp, permissions, domain, prefersBorder });
  const meta = Object.keys(settings).length > 0 ? { _meta: { ui: settings } } : {};
  if (typeof html !== 'function' && !isDocument(html)) throw new TypeError(`${what}: ui.html ${NOT_A_DOCUMENT}`);
  const contents = (text: string): ResourceContents => {
    if (!isDocument(text)) throw new Error(`View "${uri}": html ${NOT_A_DOCUMENT}`);
    return { uri, mimeType: APP_MIME_TYPE, text, ...meta };
  };
  return {
    uri,
    config: { ...shown, mimeType: APP_MIME_TYPE, ...meta },
    read: (ctx) => {
      const made = typeof html === 'function' ? html(ctx) : html;
      return typeof made === 'string' ? contents(made) : Promise.resolve(made).then(contents);
    },
  };
}

type Given = { readonly [Key in keyof AppSettings]: AppSettings[Key] | undefined };

function settingsOf(what: string, given: Given): AppSettings {
  const { csp, permissions, domain, prefersBorder } = given;
  if (csp !== undefined) checkCsp(what, csp);
  if (permissions !== undefined) checkPermissions(what, permissions);
  if (domain !== undefined && !isDomain(domain)) {
    throw new TypeError(`${what}: ui.domain must be a domain or an origin, as its host wants it`);
  }
  if (prefersBorder !== undefined && typeof prefersBorder !== 'boolean') {
    throw new TypeError(`${what}: ui.prefersBorder must be true or false`);
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function checkCsp(what: string, csp: unknown): void {
  checkMembers(what, 'csp', csp, CSP_LISTS);
  for (const [list, origins] of Object.entries(csp)) {
    if (!Array.isArray(origins)) throw new TypeError(`${what}: ui.csp.${list} must be a list of origins`);
    const place = origins.findIndex((origin) => !isOrigin(origin));
    if (place >= 0) {
      const wanted = 'an origin without a path, as in "https://api.example.com" or "https://*.example.com"';
      throw new TypeError(`${what}: ui.csp.${list}[${place}] must be ${wanted}`);
    }
  }
}

function checkPermissions(what: string, permissions: unknown): void {
  checkMembers(what, 'permissions', permissions, PERMISSIONS);
  const bad = Object.entries(permissions).find(([, value]) => !isObject(value));
  if (bad) throw new TypeError(`${what}: ui.permissions.${bad[0]} must be {}`);
}

function checkMembers(what: string, member: string, value: unknown, known: readonly string[]): asserts value is object {
  if (!isObject(value)) throw new TypeError(`${what}: ui.${member} must be an object`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new TypeError(`${what}: ui.${member} has no "${unknown}"; known: ${known.join(', ')}`);
}

const NOT_A_DOCUMENT = 'must be a whole HTML document, beginning with <!doctype html>';

/** Returns true if the text begins with an HTML doctype, after optional whitespace and comments. */
function isDocument(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  let rest = value.trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->');
    if (end < 0) return false;
    rest = rest.slice(end + '-->'.length).trimStart();
  }
  return /^<!doctype\s+html[\s>]/i.test(rest);
}
