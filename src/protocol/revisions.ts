/** The protocol revisions, one row each. Code reads the differences from these rows instead of comparing versions. */

import { RpcError } from '../jsonrpc/errors.ts';

/** The version of a revision that this package supports. */
export type ProtocolVersion = '2026-07-28' | '2025-11-25' | '2025-06-18' | '2025-03-26' | '2024-11-05';

/** A kind of revisions. Stateful ones open a session with `initialize`; stateless ones describe the client in each request. */
export type Family = 'stateful' | 'stateless';

/** The properties in which revisions differ. */
export interface RevisionFeatures {
  readonly version: ProtocolVersion;
  readonly family: Family;
  /** How a server sends input requests: as requests of its own, or in an `input_required` result that makes the client retry. */
  readonly inputVia: 'request' | 'retry';
  /** How change notifications are sent: pushed to every session, or only on the stream of `subscriptions/listen`. */
  readonly changes: 'pushed' | 'subscribed';
  /** JSON-RPC batches: refused, accepted with a separate response to each request, or answered with one batch of responses. */
  readonly batches: 'refused' | 'accepted' | 'answered as one';
  /** The id of the error response to a message that cannot be parsed. */
  readonly parseErrorId: 'absent' | 'null';
  /** Where a tool definition has its title: in `title`, in `annotations.title`, or not at all. */
  readonly toolTitle: 'title' | 'annotations' | 'nowhere';
  readonly toolAnnotations: boolean;
  /** True if prompts, resources and implementations have a `title`. */
  readonly titles: boolean;
  /** True if entries and implementations have `icons`, and implementations also a description and a website. */
  readonly icons: boolean;
  /** True if list entries and content have `_meta`, and annotations have `lastModified`. */
  readonly itemMeta: boolean;
  /** True if tool definitions have `execution`, for experimental tasks. */
  readonly execution: boolean;
  /** Values that `structuredContent` may have; `nothing` if results have no such member. */
  readonly structuredContent: 'nothing' | 'object' | 'any';
  readonly audio: boolean;
  readonly resourceLinks: boolean;
  readonly progressMessage: boolean;
  readonly completionsCapability: boolean;
  /** True if `completion/complete` has `context`: the values of arguments that are already filled in. */
  readonly completionContext: boolean;
  /** True if results have `ttlMs` and `cacheScope`. */
  readonly cacheHints: boolean;
  readonly elicitation: 'none' | 'form' | 'form and url';
  /** True if URL elicitation has `elicitationId`, and `notifications/elicitation/complete` exists. */
  readonly elicitationIds: boolean;
  /** True if sampling requests can have tools, and sampling messages several content blocks. */
  readonly samplingTools: boolean;
  /** True if the client capability `sampling.context` exists. */
  readonly samplingContext: boolean;
  /** Error code of requests for a resource that does not exist. */
  readonly resourceNotFound: number;
  /** Error code of requests that require a capability which the client did not declare. */
  readonly missingCapability: number;
  /** True if the protocol reserves error codes -32020 to -32099. Codes of that range without a definition are sent as -32603. */
  readonly reservedErrorCodes: boolean;
  /** How invalid arguments of a tool are reported: as a result with `isError`, or as a JSON-RPC error. */
  readonly badArguments: 'result' | 'error';
  /** True if the SSE stream of a request may begin with an event without a message, and may end before the response. */
  readonly streamStartsWithEmptyEvent: boolean;
}

const newest: RevisionFeatures = {
  version: '2026-07-28',
  family: 'stateless',
  inputVia: 'retry',
  changes: 'subscribed',
  batches: 'refused',
  parseErrorId: 'absent',
  toolTitle: 'title',
  toolAnnotations: true,
  titles: true,
  icons: true,
  itemMeta: true,
  execution: false,
  structuredContent: 'any',
  audio: true,
  resourceLinks: true,
  progressMessage: true,
  completionsCapability: true,
  completionContext: true,
  cacheHints: true,
  elicitation: 'form and url',
  elicitationIds: false,
  samplingTools: true,
  samplingContext: true,
  resourceNotFound: -32602,
  missingCapability: -32021,
  reservedErrorCodes: true,
  badArguments: 'result',
  streamStartsWithEmptyEvent: false,
};

const november2025: RevisionFeatures = {
  ...newest,
  version: '2025-11-25',
  family: 'stateful',
  inputVia: 'request',
  changes: 'pushed',
  cacheHints: false,
  execution: true,
  structuredContent: 'object',
  elicitationIds: true,
  resourceNotFound: -32002,
  missingCapability: -32602,
  reservedErrorCodes: false,
  streamStartsWithEmptyEvent: true,
};

const june2025: RevisionFeatures = {
  ...november2025,
  version: '2025-06-18',
  parseErrorId: 'null',
  execution: false,
  icons: false,
  elicitation: 'form',
  elicitationIds: false,
  samplingTools: false,
  samplingContext: false,
  badArguments: 'error',
  streamStartsWithEmptyEvent: false,
};

const march2025: RevisionFeatures = {
  ...june2025,
  version: '2025-03-26',
  batches: 'answered as one',
  toolTitle: 'annotations',
  titles: false,
  completionContext: false,
  itemMeta: false,
  structuredContent: 'nothing',
  resourceLinks: false,
  elicitation: 'none',
};

const november2024: RevisionFeatures = {
  ...march2025,
  version: '2024-11-05',
  batches: 'accepted',
  toolTitle: 'nowhere',
  toolAnnotations: false,
  audio: false,
  progressMessage: false,
  completionsCapability: false,
};

/** All revisions, newest first. */
export const REVISIONS: readonly RevisionFeatures[] = [newest, november2025, june2025, march2025, november2024];

/** The versions of all revisions, newest first. */
export const VERSIONS: readonly ProtocolVersion[] = REVISIONS.map(({ version }) => version);

/** The version of the newest revision. */
export const LATEST_VERSION: ProtocolVersion = newest.version;

const byVersion: ReadonlyMap<string, RevisionFeatures> = new Map(
  REVISIONS.map((features) => [features.version, features]),
);

/** Returns the features of the revision with this version. Throws -32603 if there is none. */
export function featuresOf(version: string): RevisionFeatures {
  const features = byVersion.get(version);
  if (!features) throw RpcError.internal();
  return features;
}

/** Returns whether the revision with this version is stateful or stateless; undefined if there is no such revision. */
export function familyOf(version: string): Family | undefined {
  return byVersion.get(version)?.family;
}
