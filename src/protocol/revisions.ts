/** Table of the protocol revisions and their differences. Code reads this table instead of comparing versions. */

import { RpcError } from '../jsonrpc/errors.ts';

/** A protocol version that this package supports. */
export type ProtocolVersion = '2026-07-28' | '2025-11-25' | '2025-06-18' | '2025-03-26' | '2024-11-05';

/** Stateful revisions open a session with `initialize`. Stateless revisions describe the client in each request. */
export type Family = 'stateful' | 'stateless';

export interface RevisionFeatures {
  readonly version: ProtocolVersion;
  readonly family: Family;
  /** How servers send input requests: as JSON-RPC requests, or in an `input_required` result after which the client retries. */
  readonly inputVia: 'request' | 'retry';
  /** How change notifications are sent: to every session, or only on the stream of a `subscriptions/listen` request. */
  readonly changes: 'pushed' | 'subscribed';
  /** How JSON-RPC batches are handled: `accepted` sends each response separately, `answered as one` sends them as one batch. */
  readonly batches: 'refused' | 'accepted' | 'answered as one';
  /** `id` of the error response to a message whose id cannot be read. */
  readonly parseErrorId: 'absent' | 'null';
  /** Where a tool has its title: in `title`, in `annotations.title`, or nowhere. */
  readonly toolTitle: 'title' | 'annotations' | 'nowhere';
  readonly toolAnnotations: boolean;
  /** True if prompts, resources and implementations have a `title`. */
  readonly titles: boolean;
  /** True if list entries and implementations have `icons`, and implementations have `description` and `websiteUrl`. */
  readonly icons: boolean;
  /** True if list entries and content have `_meta`, and annotations have `lastModified`. */
  readonly itemMeta: boolean;
  /** True if tools have `execution`, for the experimental tasks of 2025-11-25. */
  readonly execution: boolean;
  /** JSON values that `structuredContent` can have. `nothing`: tool results have no `structuredContent`. */
  readonly structuredContent: 'nothing' | 'object' | 'any';
  readonly audio: boolean;
  readonly resourceLinks: boolean;
  readonly progressMessage: boolean;
  readonly completionsCapability: boolean;
  /** True if params of `completion/complete` have `context`, the values of other arguments. */
  readonly completionContext: boolean;
  /** True if results have `ttlMs` and `cacheScope`. */
  readonly cacheHints: boolean;
  readonly elicitation: 'none' | 'form' | 'form and url';
  /** True if URL elicitation has `elicitationId`, and `notifications/elicitation/complete` exists. */
  readonly elicitationIds: boolean;
  /** True if sampling requests may have `tools`, and sampling messages may have several content blocks. */
  readonly samplingTools: boolean;
  readonly samplingContext: boolean;
  /** Error code for a resource that does not exist. */
  readonly resourceNotFound: number;
  /** Error code for a required capability that the client did not declare. */
  readonly missingCapability: number;
  /** True if the protocol reserves error codes -32020 to -32099. Reserved codes that it does not define are sent as -32603. */
  readonly reservedErrorCodes: boolean;
  /** How invalid tool arguments are reported: as a result with `isError: true`, or as a JSON-RPC error. */
  readonly badArguments: 'result' | 'error';
  /** True if SSE streams start with an event that has an id but no data, which lets clients resume a stream that ends early. */
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

/** Features of all supported revisions, newest first. */
export const REVISIONS: readonly RevisionFeatures[] = [newest, november2025, june2025, march2025, november2024];

export const VERSIONS: readonly ProtocolVersion[] = REVISIONS.map(({ version }) => version);

/** The newest protocol version that this package supports. */
export const LATEST_VERSION: ProtocolVersion = newest.version;

const byVersion: ReadonlyMap<string, RevisionFeatures> = new Map(
  REVISIONS.map((features) => [features.version, features]),
);

/** Returns the features of a revision. Throws -32603 if the version is unknown. */
export function featuresOf(version: string): RevisionFeatures {
  const features = byVersion.get(version);
  if (!features) throw RpcError.internal();
  return features;
}

export function familyOf(version: string): Family | undefined {
  return byVersion.get(version)?.family;
}
