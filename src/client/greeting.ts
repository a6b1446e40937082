/** Getting to know a server: finds out which revision it speaks, in as few words as possible. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import { printable } from '../jsonrpc/printable.ts';
import { NO_TIMEOUT } from '../jsonrpc/request-timeouts.ts';
import { revisionNamed } from '../protocol/client-revisions.ts';
import type { ClientInfo, ClientRevision as Revision } from '../protocol/revision.ts';
import { LATEST_VERSION, VERSIONS } from '../protocol/revisions.ts';
import { initializeParams } from '../protocol/stateful/client.ts';
import { sleep } from '../timing/sleep.ts';
import { withTimeout } from '../timing/with-timeout.ts';
import { pauseAfter } from './busy.ts';
import type { Conversation } from './conversation.ts';
import { isPassing } from './link-failures.ts';
import {
  type Finding,
  judgeDiscovery,
  judgeHandshake,
  judgeHttpDiscovery,
  NEWEST_STATEFUL,
  namesStateless,
  type Outcome,
} from './negotiation.ts';
import type { ConnectionOptions } from './options.ts';
import { factsIn, revisionIn, type ServerProfile } from './server-profile.ts';

/** How many revisions of a server an error names. */
const MAX_NAMED = 10;

/** What greeting needs. */
export interface GreetingHost {
  readonly client: ClientInfo;
  readonly options: Pick<ConnectionOptions, 'revision' | 'profile' | 'probeTimeout'>;
  /** What this client found out about the server before. */
  readonly known: ServerProfile | undefined;
  /** Whether the server can be connected to again if it does not survive the first question. */
  readonly canRedial: boolean;
  /** Whether it is spoken to over HTTP. */
  readonly isHttp: boolean;
  /** When it must be over, in milliseconds since 1970. */
  readonly deadline: number;
  /** A new conversation, connected. */
  open(): Promise<Conversation>;
  /** Likewise over the transport of the first revision, where there is one. */
  readonly openOld: (() => Promise<Conversation>) | undefined;
}

const PROBE_TIMEOUT = 10_000;
// A string, so that the numbers of a session that may follow begin at the beginning.
const PROBE_ID = 'discover';

/** Opens a conversation and agrees with the server on a revision. */
export async function greet(host: GreetingHost): Promise<Conversation> {
  const { revision: wanted = 'auto', profile: prior } = host.options;
  if (wanted !== 'auto' && wanted !== 'legacy') return greetPinned(host, wanted);
  const conversation = await host.open();
  const before = wanted === 'legacy' ? undefined : revisionIn(prior);
  if (before && prior && before.features.family === 'stateless') {
    conversation.speak(before, factsIn(prior));
    return conversation;
  }
  const isOld = revisionIn(host.known)?.features.family === 'stateful';
  if (wanted === 'legacy') return openSession(host, conversation, NEWEST_STATEFUL, false);
  return before || isOld ? believe(host, conversation) : probe(host, conversation);
}

// The server was an old one when it was asked last; if it is not any more, it says so.
async function believe(host: GreetingHost, conversation: Conversation): Promise<Conversation> {
  try {
    return await openSession(host, conversation, NEWEST_STATEFUL, false);
  } catch (error) {
    if (!namesStateless(error)) throw error;
    return probe(host, conversation);
  }
}

async function greetPinned(host: GreetingHost, version: string): Promise<Conversation> {
  const revision = revisionNamed(version);
  if (!revision) throw unknownRevision(version);
  const conversation = await host.open();
  if (revision.features.family === 'stateful') return openSession(host, conversation, version, true);
  const { profile: prior } = host.options;
  if (prior && revisionIn(prior) === revision) {
    conversation.speak(revision, factsIn(prior));
    return conversation;
  }
  const outcome = await discover(host, conversation, revision);
  const finding = await insist(host, conversation, judge(host, outcome));
  if (finding.type === 'speak') return settle(conversation, finding);
  if (finding.type === 'redial') throw finding.cause;
  if (finding.type !== 'handshake') throw finding.error;
  if ('error' in outcome && outcome.error instanceof ConnectionError) throw outcome.error;
  const named = finding.supported?.slice(0, MAX_NAMED).map((each) => printable(each, 64));
  const known = named ? `it speaks ${named.join(', ')}` : 'it does not know server/discover';
  throw new ConnectionError(
    'failed',
    `The server does not speak protocol revision ${version}: ${known}. Leave out "revision" to use the newest that both know`,
  );
}

function unknownRevision(version: string): TypeError {
  return new TypeError(`Unknown protocol revision "${printable(version, 64)}"; known: ${VERSIONS.join(', ')}`);
}

// In place: no second process is started unless this one dies of the question.
async function probe(host: GreetingHost, conversation: Conversation): Promise<Conversation> {
  const revision = revisionNamed(LATEST_VERSION) as Revision;
  const discovery = discover(host, conversation, revision);
  // Over HTTP every request has an answer, and until it comes nobody knows anything.
  const patience = host.isHttp ? undefined : (host.options.probeTimeout ?? PROBE_TIMEOUT);
  const outcome = patience === undefined ? await discovery : await withTimeout(discovery, patience);
  if (outcome === undefined) return greetSilent(host, conversation, discovery);
  const finding = await insist(host, conversation, judge(host, outcome));
  if (finding.type === 'speak') return settle(conversation, finding);
  if (finding.type === 'handshake') return openSession(host, conversation, finding.version, false);
  if (finding.type !== 'redial') throw finding.error;
  if (!host.canRedial) throw finding.cause;
  return openSession(host, await host.open(), finding.version, false);
}

/**
 * The server may be old and not answer what it does not know, or new and slow to start. The session decides, since a
 * server that speaks both keeps to it; only if there can be none does a late answer count.
 */
async function greetSilent(
  host: GreetingHost,
  conversation: Conversation,
  discovery: Promise<Outcome>,
): Promise<Conversation> {
  let late: Outcome | undefined;
  void discovery.then((outcome) => {
    late = outcome;
  });
  try {
    const greeted = await openSession(host, conversation, NEWEST_STATEFUL, false);
    conversation.forget(PROBE_ID);
    return greeted;
  } catch (error) {
    if (!namesStateless(error) && !(late && 'result' in late)) throw error;
    const finding = judgeDiscovery(await discovery);
    if (finding.type !== 'speak') throw error;
    return settle(conversation, finding);
  }
}

async function openSession(
  host: GreetingHost,
  conversation: Conversation,
  version: string,
  exact: boolean,
  isSecondTry = false,
): Promise<Conversation> {
  const revision = revisionNamed(version);
  if (!revision) throw unknownRevision(version);
  const params = initializeParams(host.client, revision.features);
  const outcome = await patiently(host, conversation, () => conversation.ask('initialize', params, NO_TIMEOUT));
  const finding = judgeHandshake(outcome, version, exact);
  if (finding.type === 'handshake' && !isSecondTry) {
    return openSession(host, conversation, finding.version, exact, true);
  }
  if (finding.type === 'old transport') return openOldSession(host, conversation, version, exact, finding.error);
  if (finding.type !== 'speak') {
    throw finding.type === 'fail' ? finding.error : new ConnectionError('failed', 'The server refused to be greeted');
  }
  const told = conversation.notify('notifications/initialized');
  // Over HTTP what is sent next may arrive first.
  if (told) await told;
  return settle(conversation, finding);
}

async function openOldSession(
  host: GreetingHost,
  conversation: Conversation,
  version: string,
  exact: boolean,
  error: ConnectionError,
): Promise<Conversation> {
  const { openOld } = host;
  if (!openOld) throw error;
  const outcome = await patiently(host, conversation, openOld);
  if ('error' in outcome) throw notHere(error, outcome.error);
  await conversation.close();
  return openSession({ ...host, openOld: undefined }, outcome.result, version, exact);
}

// The address is wrong, most often.
function notHere(error: ConnectionError, cause: unknown): unknown {
  if (!(cause instanceof ConnectionError)) return cause;
  const isOther = cause.code !== 'http-error' && cause.code !== 'malformed';
  if (isOther || isPassing(cause) || cause.status === 401 || cause.status === 403) return cause;
  const text = `${error.message}. There is no stream of events either: is it the URL of an MCP server?`;
  return new ConnectionError('http-error', text, { status: error.status, cause: error });
}

function settle(conversation: Conversation, finding: Extract<Finding, { type: 'speak' }>): Conversation {
  conversation.speak(finding.revision, finding.server);
  return conversation;
}

// A server that refuses what it says it speaks is asked a second time, not a third.
async function insist(host: GreetingHost, conversation: Conversation, finding: Finding): Promise<Finding> {
  if (finding.type !== 'ask again') return finding;
  const revision = revisionNamed(LATEST_VERSION) as Revision;
  return judge(host, await discover(host, conversation, revision, `${PROBE_ID} again`));
}

function judge({ isHttp }: GreetingHost, outcome: Outcome): Finding {
  return isHttp ? judgeHttpDiscovery(outcome) : judgeDiscovery(outcome);
}

function discover(host: GreetingHost, conversation: Conversation, revision: Revision, id = PROBE_ID): Promise<Outcome> {
  const params = revision.encodeRequest({}, host.client) as Params;
  return patiently(host, conversation, () => conversation.ask('server/discover', params, NO_TIMEOUT, id));
}

// A server that is busy and says for how long is asked again then, if that is not too late.
async function patiently<T>(
  { deadline }: GreetingHost,
  { ended }: Conversation,
  ask: () => Promise<T>,
): Promise<Outcome<T>> {
  for (let tries = 0; ; tries++) {
    const outcome = await outcomeOf(ask());
    const wait = 'error' in outcome ? pauseAfter(outcome.error, tries, deadline) : undefined;
    if (wait === undefined) return outcome;
    await sleep(wait, ended);
    if (ended.aborted) return { error: ended.reason };
  }
}

function outcomeOf<T>(answer: Promise<T>): Promise<Outcome<T>> {
  return answer.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
}
