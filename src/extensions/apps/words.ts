/** Constants, types and validators of MCP Apps metadata. */

import type { ProtocolVersion } from '../../entries/mcpp.ts';

export const EXTENSION_ID = 'io.modelcontextprotocol/ui';

/** MIME type of views. Clients that can show views declare it in their settings of the extension. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/** Deprecated `_meta` key for the URI of a tool's view. Still sent, because some hosts do not read `_meta.ui`. */
export const FLAT_URI_KEY = 'ui/resourceUri';

/** Revisions in which tools and resources have `_meta`, which links tools to their views. */
export const REVISIONS: readonly ProtocolVersion[] = ['2025-06-18', '2025-11-25', '2026-07-28'];

export const CSP_LISTS = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;

export const PERMISSIONS = ['camera', 'microphone', 'geolocation', 'clipboardWrite'] as const;

/** Values of `visibility`: the language model, and views of the same server. */
export const USERS = ['model', 'app'] as const;

/** Origins that a view may access, such as `https://api.example.com` or `https://*.example.com`. Other origins are blocked. */
export interface AppCsp {
  /** Origins for `fetch`, XHR and WebSockets. */
  readonly connectDomains?: readonly string[];
  /** Origins of scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[];
  /** Origins of frames inside the view. */
  readonly frameDomains?: readonly string[];
  /** Origins for the base URI of the document. */
  readonly baseUriDomains?: readonly string[];
}

/** Browser permissions that a view requests. The host can deny them. */
export type AppPermissions = { readonly [Name in (typeof PERMISSIONS)[number]]?: {} };

/** A caller that may use a tool: the language model, or `app` for views of the same server. */
export type AppVisibility = (typeof USERS)[number];

/** Display and sandbox settings of a view. */
export interface AppSettings {
  readonly csp?: AppCsp;
  readonly permissions?: AppPermissions;
  /** Dedicated origin for the view, in the format that the host documents. Default: the host chooses. */
  readonly domain?: string;
  /** Whether the host should draw a border and a background. Default: the host decides. */
  readonly prefersBorder?: boolean;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isViewUri(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('ui://') && value.length > 'ui://'.length && URL.canParse(value);
}

// Hosts copy origins into a Content-Security-Policy header, so characters that could inject directives are excluded.
const ORIGIN = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[0-9]{1,5})?$/i;

/** Returns true for an origin, with or without the wildcard `*.` in place of subdomains. */
export function isOrigin(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 300 && ORIGIN.test(value);
}

// Hosts copy the domain into an origin, a header or an HTML attribute. Characters that could end one of them are excluded.
const DOMAIN = /^[a-z0-9._~:/@*-]{1,300}$/i;

export function isDomain(value: unknown): value is string {
  return typeof value === 'string' && DOMAIN.test(value);
}
