/** Which revision to speak, judged from what a server answered: pure functions, no I/O. */

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

/** What an attempt came to: an answer, or why there is none. */
export type Outcome<T = unknown> = { readonly result: T } | { readonly error: unknown };

/** What to do next. */
export type Finding =
  /** Both sides know what they need. */
  | { readonly type: 'speak'; readonly revision: Revision; readonly server: ServerFacts }
  /** The server refused the revision and names it among those it speaks: ask once more. */
  | { readonly type: 'ask again'; readonly error: unknown }
  /** Open a session with `initialize`, asking for this revision. */
  | {
      readonly type: 'handshake';
      readonly version: string;
      /** The revisions that the server named, if it did. */
      readonly supported?: readonly string[];
    }
  /** The connection did not survive the question: connect again and open a session. */
  | { readonly type: 'redial'; readonly version: string; readonly cause: unknown }
  /** Nobody takes messages here, so the server may have the transport of the first revision. */
  | { readonly type: 'old transport'; readonly error: ConnectionError }
  | { readonly type: 'fail'; readonly error: unknown };

const KNOWN = REVISIONS.map(({ version }) => version);
const versionsOf = (family: RevisionFeatures['family']): string[] =>
  REVISIONS.filter((facts) => facts.family === family).map(({ version }) => version);

/** The newest revision that opens with `initialize`. */
export const NEWEST_STATEFUL: string = versionsOf('stateful')[0] ?? '';

// Errors that only a server of a stateless revision can answer; the range is the protocol's own.
const STATELESS_ERRORS: ReadonlySet<number> = new Set([
  McpErrorCode.HeaderMismatch,
  McpErrorCode.MissingRequiredClientCapability,
]);

const MCP_ERRORS: ReadonlySet<number> = new Set([...STATELESS_ERRORS, McpErrorCode.UnsupportedProtocolVersion]);

/** What the answer to `server/discover` means. */
export function judgeDiscovery(outcome: Outcome): Finding {
  if ('result' in outcome) return readDiscovery(outcome.result);
  const { error } = outcome;
  if (error instanceof RpcError) {
    if (STATELESS_ERRORS.has(error.code)) return { type: 'fail', error };
    // Any other error is that of a server which does not know the method, whichever number it gives it.
    const supported = supportedIn(error);
    if (error.code !== McpErrorCode.UnsupportedProtocolVersion || !supported) return handshake(NEWEST_STATEFUL);
    return agreeOn(supported, () => ({ type: 'ask again', error }));
  }
  const isLost = error instanceof ConnectionError && error.code === 'closed';
  return isLost ? { type: 'redial', version: NEWEST_STATEFUL, cause: error } : { type: 'fail', error };
}

// What a server says that takes messages elsewhere.
const NOT_HERE: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * The same over HTTP. A status 4xx, and 500 with an error of JSON-RPC, say that the server does not know the method; other
 * statuses 5xx, a connection that fails or takes too long say nothing of the revision.
 */
export function judgeHttpDiscovery(outcome: Outcome): Finding {
  // Some old servers answer whatever they are asked, with nothing.
  if ('result' in outcome && saysNothing(outcome.result)) return handshake(NEWEST_STATEFUL);
  if ('result' in outcome || outcome.error instanceof RpcError) return judgeDiscovery(outcome);
  const { error } = outcome;
  if (!(error instanceof ConnectionError)) return { type: 'fail', error };
  const { status, cause } = error;
  const isRefused = status !== undefined && status >= 400 && status < 500 && !NO_ANSWERS.has(status);
  // Some servers send every error of JSON-RPC with this status; a proxy that fails has no such body.
  if (status === 500 && cause instanceof RpcError) return judgeDiscovery({ error: cause });
  // Nobody else at this address would say this, so that it counts also without the id of what it answers.
  if (isRefused && cause instanceof RpcError && MCP_ERRORS.has(cause.code)) return judgeDiscovery({ error: cause });
  return isRefused || isOpaque(error) ? handshake(NEWEST_STATEFUL) : { type: 'fail', error };
}

function saysNothing(result: unknown): boolean {
  return isObject(result) && result['resultType'] === undefined && result['supportedVersions'] === undefined;
}

// A browser does not say why it sent nothing; most often an older server did not allow the headers of today.
function isOpaque({ code, cause }: ConnectionError): boolean {
  return code === 'unreachable' && cause instanceof TypeError && cause.cause === undefined;
}

/** What the answer to `initialize` means, if `requested` was asked for. With `exact` no other revision will do. */
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

/** True if a server that refused `initialize` says that it speaks a stateless revision. */
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

// The newest revision both know; for a stateless one `then` says how to go on.
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
  // A stateless revision has no `initialize`: a server that answers one with it does not speak it.
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
