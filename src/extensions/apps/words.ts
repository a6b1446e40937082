/** The words of the extension: its name, its MIME type, and what can be said of a view and of a tool. */

import type { ProtocolVersion } from '../../entries/mcpp.ts';

/** The name of the extension. */
export const EXTENSION_ID = 'io.modelcontextprotocol/ui';

/** The MIME type of a view. Hosts that can show views declare it. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/** Where a tool named its view before there was `_meta.ui`. Deprecated, but there are hosts that read nothing else. */
export const FLAT_URI_KEY = 'ui/resourceUri';

/** The revisions in which tools and resources have `_meta`, without which there is no way from a tool to its view. */
export const REVISIONS: readonly ProtocolVersion[] = ['2025-06-18', '2025-11-25', '2026-07-28'];

/** The lists of a content security policy. */
export const CSP_LISTS = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;

/** What a view may ask of the browser. */
export const PERMISSIONS = ['camera', 'microphone', 'geolocation', 'clipboardWrite'] as const;

/** Who may use a tool. */
export const USERS = ['model', 'app'] as const;

/** The origins a view may reach: `https://api.example.com`, or `https://*.example.com`. What is not named is not allowed. */
export interface AppCsp {
  /** For `fetch`, XHR and WebSockets. */
  readonly connectDomains?: readonly string[];
  /** For scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[];
  /** For frames within the view. */
  readonly frameDomains?: readonly string[];
  /** For the base URI of the document. */
  readonly baseUriDomains?: readonly string[];
}

/** What a view asks of the browser. A host need not grant it. */
export type AppPermissions = { readonly [Name in (typeof PERMISSIONS)[number]]?: {} };

/** Who may use a tool: the model, views of the same server, or both. */
export type AppVisibility = (typeof USERS)[number];

/** How a host is to show a view. */
export interface AppSettings {
  readonly csp?: AppCsp;
  readonly permissions?: AppPermissions;
  /** The origin the view is to have, in the form that its host wants. */
  readonly domain?: string;
  /** Whether the view is to have a border and a background. Hosts differ in what they do if nothing is said. */
  readonly prefersBorder?: boolean;
}

/** True for an object that is not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for the URI of a view. */
export function isViewUri(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('ui://') && value.length > 'ui://'.length && URL.canParse(value);
}

// What stands here ends up in a header of the host's: nothing but an origin may.
const ORIGIN = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[0-9]{1,5})?$/i;

/** True for an origin, also for one with a wildcard in place of subdomains. */
export function isOrigin(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 300 && ORIGIN.test(value);
}

// Hosts make an origin, a header or an attribute of it: nothing that ends any of these may be in it.
const DOMAIN = /^[a-z0-9._~:/@*-]{1,300}$/i;

/** True for what can be the `domain` of a view. */
export function isDomain(value: unknown): value is string {
  return typeof value === 'string' && DOMAIN.test(value);
}
