/** MCP Apps for hosts: reads views, and the metadata that links tools to views. Metadata from servers is untrusted. */

import type { Connection, RequestOptions } from '../../entries/client.ts';
import { printable, type ResourceContents, type Tool } from '../../entries/mcpp.ts';
import {
  APP_MIME_TYPE,
  type AppCsp,
  type AppPermissions,
  type AppSettings,
  type AppVisibility,
  CSP_LISTS,
  FLAT_URI_KEY,
  isDomain,
  isObject,
  isOrigin,
  isViewUri,
  PERMISSIONS,
  USERS,
} from './words.ts';

/** MCP Apps metadata of a tool, from its `_meta`. */
export interface ToolApp {
  /** URI of the view that shows the results. Undefined if the tool names no view, or its URI is not a `ui://` URI. */
  readonly uri: string | undefined;
  /** Callers that may use the tool: `model`, `app` or both. Empty if `_meta.ui.visibility` is malformed. */
  readonly visibility: readonly AppVisibility[];
}

/** A view as returned by `readApp`: the HTML page, and settings for the sandbox that shows the page. */
export interface ShownApp extends AppSettings {
  readonly uri: string;
  readonly html: string;
  /** Origins for the Content Security Policy of the view. `{}` allows no origin. */
  readonly csp: AppCsp;
  readonly permissions: AppPermissions;
}

/** Returns the MCP Apps metadata of a tool, or undefined if the tool has none. */
export function appOf(tool: Tool): ToolApp | undefined {
  const { ui, [FLAT_URI_KEY]: flat } = tool._meta ?? {};
  const said = isObject(ui) ? ui : {};
  const uri = [said['resourceUri'], flat].find((one) => one !== undefined);
  if (uri === undefined && !isObject(ui)) return undefined;
  return { uri: isViewUri(uri) ? uri : undefined, visibility: visibilityOf(said['visibility']) };
}

// A tool without `visibility` is for the model and for views (MCP Apps). A tool with a malformed `visibility` is for neither.
function visibilityOf(said: unknown): readonly AppVisibility[] {
  if (said === undefined) return USERS;
  return Array.isArray(said) ? USERS.filter((user) => said.includes(user)) : [];
}

/** Returns true if the host may offer the tool to the model. MCP Apps forbids hosts to offer other tools. */
export function isForModel(tool: Tool): boolean {
  return appOf(tool)?.visibility.includes('model') ?? true;
}

/** Returns true if views of the same server may call the tool. MCP Apps requires hosts to reject calls to other tools. */
export function isForApp(tool: Tool): boolean {
  return appOf(tool)?.visibility.includes('app') ?? true;
}

/**
 * Reads a view. Its settings come from `_meta.ui` of the contents, or else of the entry in `resources/list`. Invalid origins,
 * permissions and domains are dropped. Rejects if the resource is not text of the type `APP_MIME_TYPE`.
 */
export async function readApp(
  connection: Pick<Connection, 'readResource' | 'resources'>,
  uri: string,
  options?: RequestOptions,
): Promise<ShownApp> {
  if (!isViewUri(uri)) throw new TypeError('The URI of a view begins with ui://');
  const { contents } = await connection.readResource(uri, options);
  const page = contents.find((one) => one.uri === uri && one.mimeType === APP_MIME_TYPE);
  if (!page) throw new Error(`What the server has at ${printable(uri, 200)} is not of type ${APP_MIME_TYPE}`);
  const html = htmlOf(page);
  if (html === undefined) throw new Error(`The view at ${printable(uri, 200)} is not text`);
  return { uri, html, ...settingsOf(page._meta?.['ui'] ?? (await listed(connection, uri, options))) };
}

async function listed(
  connection: Pick<Connection, 'resources'>,
  uri: string,
  options: RequestOptions | undefined,
): Promise<unknown> {
  for await (const resource of connection.resources(options)) if (resource.uri === uri) return resource._meta?.['ui'];
  return undefined;
}

function htmlOf(page: ResourceContents): string | undefined {
  const { text, blob } = page as { readonly text?: unknown; readonly blob?: unknown };
  if (typeof text === 'string') return text;
  if (typeof blob !== 'string') return undefined;
  try {
    const bytes = Uint8Array.from(atob(blob), (char) => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function settingsOf(said: unknown): Omit<ShownApp, 'uri' | 'html'> {
  const { csp, permissions, domain, prefersBorder } = isObject(said) ? said : {};
  return {
    csp: cspOf(csp),
    permissions: permissionsOf(permissions),
    ...(isDomain(domain) && { domain }),
    ...(typeof prefersBorder === 'boolean' && { prefersBorder }),
  };
}

function cspOf(said: unknown): AppCsp {
  const lists = isObject(said) ? said : {};
  const origins = CSP_LISTS.map((list) => [list, lists[list]] as const)
    .filter((one): one is readonly [(typeof CSP_LISTS)[number], unknown[]] => Array.isArray(one[1]))
    .map(([list, all]) => [list, all.filter(isOrigin)]);
  return Object.fromEntries(origins);
}

function permissionsOf(said: unknown): AppPermissions {
  const asked = isObject(said) ? said : {};
  return Object.fromEntries(PERMISSIONS.filter((name) => isObject(asked[name])).map((name) => [name, {}]));
}
