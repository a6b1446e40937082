/** One row per protocol revision. Differences between revisions are read from these rows, not decided by conditions. */

import { RpcError } from '../jsonrpc/errors.ts';

/** The versions of all revisions. */
export type ProtocolVersion = '2026-07-28' | '2025-11-25' | '2025-06-18' | '2025-03-26' | '2024-11-05';

/** Stateful revisions open a session with `initialize`; in stateless ones each request carries version, client and capabilities. */
export type Family = 'stateful' | 'stateless';

/** Properties of one revision. */
export interface RevisionFeatures {
  readonly version: ProtocolVersion;
  readonly family: Family;
  /** Input requests are sent as requests of the server, or in an `input_required` result that the client retries. */
  readonly inputVia: 'request' | 'retry';
  /** Change notifications are pushed to the session, or sent on the stream of `subscriptions/listen`. */
  readonly changes: 'pushed' | 'subscribed';
  /** JSON-RPC batches. Accepted batches get one response per request, or one batch of responses. */
  readonly batches: 'refused' | 'accepted' | 'answered as one';
  /** The id of error responses to messages that cannot be parsed. */
  readonly parseErrorId: 'absent' | 'null';
  /** The member that has the title of a tool. */
  readonly toolTitle: 'title' | 'annotations' | 'nowhere';
  readonly toolAnnotations: boolean;
  /** True if prompts, resources and implementations have a `title`. */
  readonly titles: boolean;
  /** True if there are `icons`, and a description and website of implementations. */
  readonly icons: boolean;
  /** True if items and content have `_meta`, and annotations `lastModified`. */
  readonly itemMeta: boolean;
  /** `execution` on tools, for experimental tasks. */
  readonly execution: boolean;
  /** Values that `structuredContent` may have; `nothing` if results have no such member. */
  readonly structuredContent: 'nothing' | 'object' | 'any';
  readonly audio: boolean;
  readonly resourceLinks: boolean;
  readonly progressMessage: boolean;
  readonly completionsCapability: boolean;
  /** `context` in `completion/complete`: the arguments that have a value already. */
  readonly completionContext: boolean;
  /** `ttlMs` and `cacheScope` on results. */
  readonly cacheHints: boolean;
  readonly elicitation: 'none' | 'form' | 'form and url';
  /** `elicitationId` of URL elicitation, and `notifications/elicitation/complete`. */
  readonly elicitationIds: boolean;
  /** Sampling with tools, and sampling messages with several content blocks. */
  readonly samplingTools: boolean;
  /** The client capability `sampling.context`. */
  readonly samplingContext: boolean;
  /** Error code for a resource that does not exist. */
  readonly resourceNotFound: number;
  /** Error code for a capability that the client did not declare. */
  readonly missingCapability: number;
  /** True if the protocol reserves error codes -32020 to -32099. Undefined codes of that range are sent as -32603. */
  readonly reservedErrorCodes: boolean;
  /** How invalid arguments of a tool are reported: as a result with `isError`, or as a JSON-RPC error. */
  readonly badArguments: 'result' | 'error';
  /** The SSE stream of a request may begin with an event without a message, and end before the response. */
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

/** The newest version. */
export const LATEST_VERSION: ProtocolVersion = newest.version;

const byVersion: ReadonlyMap<string, RevisionFeatures> = new Map(
  REVISIONS.map((features) => [features.version, features]),
);

/** Returns the features of a version. Throws if there is no such revision. */
export function featuresOf(version: string): RevisionFeatures {
  const features = byVersion.get(version);
  if (!features) throw RpcError.internal();
  return features;
}

/** Returns whether the revision with this version is stateful or stateless; undefined if there is no such revision. */
export function familyOf(version: string): Family | undefined {
  return byVersion.get(version)?.family;
}
