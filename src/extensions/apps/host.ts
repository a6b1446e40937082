/** For hosts: which tools have a view, who may use which tool, and the view itself. What servers say is not trusted. */

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

/** What a tool says of its view. */
export interface ToolApp {
  /** Where the view is read. None for a tool that a view calls, but whose results are not shown. */
  readonly uri: string | undefined;
  /** Who may use the tool. */
  readonly visibility: readonly AppVisibility[];
}

/** A view, ready to be shown in a sandbox. */
export interface ShownApp extends AppSettings {
  readonly uri: string;
  readonly html: string;
  /** The origins it may reach. Empty if it may reach none. */
  readonly csp: AppCsp;
  readonly permissions: AppPermissions;
}

/** What a tool says of its view; undefined for a tool that says nothing. A URI that is not a view's is left out. */
export function appOf(tool: Tool): ToolApp | undefined {
  const { ui, [FLAT_URI_KEY]: flat } = tool._meta ?? {};
  const said = isObject(ui) ? ui : {};
  const uri = [said['resourceUri'], flat].find((one) => one !== undefined);
  if (uri === undefined && !isObject(ui)) return undefined;
  return { uri: isViewUri(uri) ? uri : undefined, visibility: visibilityOf(said['visibility']) };
}

// Without a word a tool is for both. What cannot be understood is for nobody.
function visibilityOf(said: unknown): readonly AppVisibility[] {
  if (said === undefined) return USERS;
  return Array.isArray(said) ? USERS.filter((user) => said.includes(user)) : [];
}

/** True if the model may be offered the tool. A host must not offer it any other. */
export function isForModel(tool: Tool): boolean {
  return appOf(tool)?.visibility.includes('model') ?? true;
}

/** True if views of the same server may call the tool. A host must refuse to call any other for them. */
export function isForApp(tool: Tool): boolean {
  return appOf(tool)?.visibility.includes('app') ?? true;
}

/**
 * Reads a view. What is said of it beside the page counts, and only if that is nothing what the list of resources says.
 * Origins and permissions that are none are left out. Rejects if it is not a view.
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
