/** Decisions of the handshake, from the responses to `server/discover` and `initialize`. Pure functions, no I/O. */

import { ConnectionError, RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import { shorten } from '../jsonrpc/printable.ts';
import { revisionNamed } from '../protocol/client-revisions.ts';
import { McpErrorCode } from '../protocol/errors.ts';
import { MetaKey } from '../protocol/model/meta.ts';
import { isImplementation } from '../protocol/params.ts';
import type { ClientRevision as Revision } from '../protocol/revision.ts';
import { REVISIONS, type RevisionFeatures } from '../protocol/revisions.ts';
import type { ServerFacts } from './server-profile.ts';
import { NO_ANSWERS } from './statuses.ts';

export type Outcome<T = unknown> = { readonly result: T } | { readonly error: unknown };

/** The next step of the handshake. */
export type Finding =
  /** The revision is negotiated. */
  | { readonly type: 'speak'; readonly revision: Revision; readonly server: ServerFacts }
  /** The server rejected the revision but names it as supported: repeat `server/discover` once. */
  | { readonly type: 'ask again'; readonly error: unknown }
  /** Send `initialize` with this version. */
  | {
      readonly type: 'handshake';
      readonly version: string;
      /** Versions that the server named, if any. */
      readonly supported?: readonly string[];
    }
  /** `server/discover` ended the connection: connect again and send `initialize`. */
  | { readonly type: 'redial'; readonly version: string; readonly cause: unknown }
  /** The URL does not accept POST requests, so the server could use HTTP+SSE, the transport of 2024-11-05. */
  | { readonly type: 'old transport'; readonly error: ConnectionError }
  | { readonly type: 'fail'; readonly error: unknown };

const KNOWN = REVISIONS.map(({ version }) => version);
const versionsOf = (family: RevisionFeatures['family']): string[] =>
  REVISIONS.filter((facts) => facts.family === family).map(({ version }) => version);

export const NEWEST_STATEFUL: string = versionsOf('stateful')[0] ?? '';

// Error codes that only servers of stateless revisions send.
const STATELESS_ERRORS: ReadonlySet<number> = new Set([
  McpErrorCode.HeaderMismatch,
  McpErrorCode.MissingRequiredClientCapability,
]);

const MCP_ERRORS: ReadonlySet<number> = new Set([...STATELESS_ERRORS, McpErrorCode.UnsupportedProtocolVersion]);

/** Interprets the outcome of `server/discover`. */
export function judgeDiscovery(outcome: Outcome): Finding {
  if ('result' in outcome) return readDiscovery(outcome.result);
  const { error } = outcome;
  if (error instanceof RpcError) {
    if (STATELESS_ERRORS.has(error.code)) return { type: 'fail', error };
    // Old servers have no common error code for unknown methods, so any other error leads to `initialize`.
    const supported = supportedIn(error);
    if (error.code !== McpErrorCode.UnsupportedProtocolVersion || !supported) return handshake(NEWEST_STATEFUL);
    return agreeOn(supported, () => ({ type: 'ask again', error }));
  }
  const isLost = error instanceof ConnectionError && error.code === 'closed';
  return isLost ? { type: 'redial', version: NEWEST_STATEFUL, cause: error } : { type: 'fail', error };
}

// Statuses of URLs that do not accept messages by POST.
const NOT_HERE: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * Interprets the outcome of `server/discover` over HTTP. Most 4xx statuses, and 500 with a JSON-RPC error, mean that the server
 * does not know the method. Other 5xx statuses, failed connections and timeouts do not tell the revision.
 */
export function judgeHttpDiscovery(outcome: Outcome): Finding {
  // Some old servers respond to unknown methods with an empty result.
  if ('result' in outcome && saysNothing(outcome.result)) return handshake(NEWEST_STATEFUL);
  if ('result' in outcome || outcome.error instanceof RpcError) return judgeDiscovery(outcome);
  const { error } = outcome;
  if (!(error instanceof ConnectionError)) return { type: 'fail', error };
  const { status, cause } = error;
  const isRefused = status !== undefined && status >= 400 && status < 500 && !NO_ANSWERS.has(status);
  // Some servers send every JSON-RPC error with status 500. The 500 response of a proxy has no such body.
  if (status === 500 && cause instanceof RpcError) return judgeDiscovery({ error: cause });
  // Only MCP servers send these error codes, so the error counts even without the id of the request.
  if (isRefused && cause instanceof RpcError && MCP_ERRORS.has(cause.code)) return judgeDiscovery({ error: cause });
  return isRefused || isOpaque(error) ? handshake(NEWEST_STATEFUL) : { type: 'fail', error };
}

function saysNothing(result: unknown): boolean {
  return isObject(result) && result['resultType'] === undefined && result['supportedVersions'] === undefined;
}

// Browsers do not tell why a request failed. Often an old server's CORS settings do not allow the headers of new revisions.
function isOpaque({ code, cause }: ConnectionError): boolean {
  return code === 'unreachable' && cause instanceof TypeError && cause.cause === undefined;
}

/** Interprets the outcome of `initialize` with version `requested`. With `exact`, no other version is accepted. */
export function judgeHandshake(outcome: Outcome, requested: string, exact: boolean): Finding {
  if ('result' in outcome) return readHandshake(outcome.result, requested, exact);
  const { error } = outcome;
  const told = error instanceof ConnectionError ? error.cause : error;
  const supported = told instanceof RpcError ? supportedIn(told) : undefined;
  if (!supported) return isNotHere(error) ? { type: 'old transport', error } : { type: 'fail', error };
  const mutual = versionsOf('stateful').find((version) => supported.includes(version) && version !== requested);
  if (mutual && !exact) return handshake(mutual);
  return { type: 'fail', error: noCommonRevision(supported, exact ? [requested] : versionsOf('stateful'), told) };
}

function isNotHere(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError && error.code === 'http-error' && NOT_HERE.has(error.status ?? 0);
}

/** Returns true if the error to `initialize` names a stateless revision as supported. */
export function namesStateless(error: unknown): boolean {
  const told = error instanceof ConnectionError ? error.cause : error;
  const supported = told instanceof RpcError ? supportedIn(told) : undefined;
  return versionsOf('stateless').some((version) => supported?.includes(version));
}

function readDiscovery(result: unknown): Finding {
  const malformed = faultOf(result, 'server/discover', [
    ['supportedVersions', isStrings, 'an array of strings'],
    ['capabilities', isObject, 'an object'],
    ['resultType', (value) => value === undefined || value === 'complete', '"complete"'],
  ]);
  if (malformed) return { type: 'fail', error: malformed };
  const { supportedVersions, capabilities, instructions, _meta } = result as Params;
  const info = isObject(_meta) ? _meta[MetaKey.serverInfo] : undefined;
  const server = serverFacts(capabilities, info, instructions);
  return agreeOn(supportedVersions as string[], (revision) => ({ type: 'speak', revision, server }));
}

// Chooses the newest common revision. For a stateless one, `then` returns the next step; a stateful one needs `initialize`.
function agreeOn(supported: readonly string[], then: (revision: Revision) => Finding): Finding {
  const stateless = versionsOf('stateless').find((version) => supported.includes(version));
  const revision = stateless === undefined ? undefined : revisionNamed(stateless);
  if (revision) return then(revision);
  const stateful = versionsOf('stateful').find((version) => supported.includes(version));
  return stateful
    ? { type: 'handshake', version: stateful, supported }
    : { type: 'fail', error: noCommonRevision(supported, KNOWN) };
}

function readHandshake(result: unknown, requested: string, exact: boolean): Finding {
  const malformed = faultOf(result, 'initialize', [
    ['protocolVersion', (value) => typeof value === 'string', 'a string'],
    ['capabilities', isObject, 'an object'],
  ]);
  if (malformed) return { type: 'fail', error: malformed };
  const { protocolVersion, capabilities, serverInfo, instructions } = result as Params;
  const revision = revisionNamed(protocolVersion as string);
  // Stateless revisions have no `initialize`, so a server cannot select one in its response.
  if (revision?.features.family !== 'stateful' || (exact && protocolVersion !== requested)) {
    const wanted = exact ? [requested] : versionsOf('stateful');
    return { type: 'fail', error: noCommonRevision([protocolVersion as string], wanted) };
  }
  return { type: 'speak', revision, server: serverFacts(capabilities, serverInfo, instructions) };
}

function handshake(version: string): Finding {
  return { type: 'handshake', version };
}

function serverFacts(capabilities: unknown, info: unknown, instructions: unknown): ServerFacts {
  return {
    capabilities: isObject(capabilities) ? capabilities : {},
    info: isImplementation(info) ? info : undefined,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

type Expectation = readonly [member: string, holds: (value: unknown) => boolean, expected: string];

function faultOf(result: unknown, method: string, expectations: readonly Expectation[]): ConnectionError | undefined {
  const malformed = (what: string): ConnectionError =>
    new ConnectionError('malformed', `Malformed reply to ${method}: ${what}`);
  if (!isObject(result)) return malformed('"result" must be an object');
  const broken = expectations.find(([member, holds]) => !holds(result[member]));
  return broken && malformed(`/result/${broken[0]} must be ${broken[2]}`);
}

function noCommonRevision(theirs: readonly string[], ours: readonly string[], cause?: unknown): ConnectionError {
  const shown = theirs.slice(0, 10).map((version) => shorten(version, 32));
  return new ConnectionError(
    'failed',
    `No common protocol revision: the server speaks ${shown.join(', ') || 'none'}, this client ${ours.join(', ')}`,
    cause === undefined ? {} : { cause },
  );
}

function supportedIn({ data }: RpcError): string[] | undefined {
  const supported = isObject(data) ? data['supported'] : undefined;
  return isStrings(supported) ? supported : undefined;
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
