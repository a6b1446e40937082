/** One row per protocol revision. Differences between revisions are read from these rows, not decided by conditions. */

import { RpcError } from '../jsonrpc/errors.ts';

/** The protocol revisions by name. */
export type ProtocolVersion = '2026-07-28' | '2025-11-25' | '2025-06-18' | '2025-03-26' | '2024-11-05';

/** Stateful revisions open with `initialize` and keep a session; stateless ones say everything in each request. */
export type Family = 'stateful' | 'stateless';

/** Everything this package needs to know of one revision. */
export interface RevisionFeatures {
  readonly version: ProtocolVersion;
  readonly family: Family;
  /** How a server asks its client: by a request of its own, or by a result after which the client calls again. */
  readonly inputVia: 'request' | 'retry';
  /** How a client hears of changes: unasked, but for resources it subscribed to, or on a request of its own that stays open. */
  readonly changes: 'pushed' | 'subscribed';
  /** Whether several messages may arrive as one JSON array, and whether they are answered as one. */
  readonly batches: 'refused' | 'accepted' | 'answered as one';
  /** What an error about an unreadable message has for an id. */
  readonly parseErrorId: 'absent' | 'null';
  /** Where a tool's title goes. */
  readonly toolTitle: 'title' | 'annotations' | 'nowhere';
  readonly toolAnnotations: boolean;
  /** `title` on prompts, resources and implementations. */
  readonly titles: boolean;
  /** `icons`, and an implementation's description and website. */
  readonly icons: boolean;
  /** `_meta` on items and content, and `lastModified` in annotations. */
  readonly itemMeta: boolean;
  /** `execution` on tools, for experimental tasks. */
  readonly execution: boolean;
  /** What `structuredContent` may be. */
  readonly structuredContent: 'nothing' | 'object' | 'any';
  readonly audio: boolean;
  readonly resourceLinks: boolean;
  readonly progressMessage: boolean;
  readonly completionsCapability: boolean;
  /** Completion is told of the arguments that are filled in already. */
  readonly completionContext: boolean;
  /** Results say how long they may be kept. */
  readonly cacheHints: boolean;
  readonly elicitation: 'none' | 'form' | 'form and url';
  /** Elicitation by URL carries an id, and its end is told by a notification. */
  readonly elicitationIds: boolean;
  /** Sampling with tools, and messages of several parts. */
  readonly samplingTools: boolean;
  /** Clients say whether they can include context in sampling. */
  readonly samplingContext: boolean;
  /** The code for a resource that does not exist. */
  readonly resourceNotFound: number;
  /** The code for a capability the client did not declare. */
  readonly missingCapability: number;
  /** Whether arguments that break a tool's schema are told to the model or to the program. */
  readonly badArguments: 'result' | 'error';
  /** Over HTTP, the event stream of a call may begin with an event without a message, and end before the answer. */
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

/** Every revision there is, newest first. */
export const REVISIONS: readonly RevisionFeatures[] = [newest, november2025, june2025, march2025, november2024];

/** The versions of all revisions, newest first. */
export const VERSIONS: readonly ProtocolVersion[] = REVISIONS.map(({ version }) => version);

/** The current revision. */
export const LATEST_VERSION: ProtocolVersion = newest.version;

const byVersion: ReadonlyMap<string, RevisionFeatures> = new Map(
  REVISIONS.map((features) => [features.version, features]),
);

/** The features of the revision of this name; throws if there is none. */
export function featuresOf(version: string): RevisionFeatures {
  const features = byVersion.get(version);
  if (!features) throw RpcError.internal();
  return features;
}

/** The family of the revision of this name; undefined if there is none. */
export function familyOf(version: string): Family | undefined {
  return byVersion.get(version)?.family;
}
