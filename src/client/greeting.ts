/** The handshake: negotiates the revision with `server/discover`, or else `initialize`. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import { printable } from '../jsonrpc/printable.ts';
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
import { NO_TIMEOUT } from './request-options.ts';
import { factsIn, revisionIn, type ServerProfile } from './server-profile.ts';

/** Maximum number of server revisions in an error message. */
const MAX_NAMED = 10;

export interface GreetingHost {
  readonly client: ClientInfo;
  readonly options: Pick<ConnectionOptions, 'revision' | 'profile' | 'probeTimeout'>;
  /** Profile of the server from an earlier connection of the same `Client`. */
  readonly known: ServerProfile | undefined;
  /** True if the server can be connected again after `server/discover` ended the connection. */
  readonly canRedial: boolean;
  readonly isHttp: boolean;
  /** Time by which the handshake must be complete, in milliseconds since 1970. */
  readonly deadline: number;
  open(): Promise<Conversation>;
  /** Opens a connection over HTTP+SSE, the transport of 2024-11-05. Undefined if the target is no URL, or after one attempt. */
  readonly openOld: (() => Promise<Conversation>) | undefined;
}

const PROBE_TIMEOUT = 10_000;
// A string, so that the numeric ids of a following session start at 1.
const PROBE_ID = 'discover';

/** Opens a transport connection and negotiates the revision. */
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

// The server was stateful at the last handshake. If it was upgraded, its error to `initialize` names the new revisions.
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

// Sends `server/discover` on the open connection. A second process is started only if that request ends the first one.
async function probe(host: GreetingHost, conversation: Conversation): Promise<Conversation> {
  const revision = revisionNamed(LATEST_VERSION) as Revision;
  const discovery = discover(host, conversation, revision);
  // Over HTTP each request gets a response, so there is no probe timeout.
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
 * Handles a server that did not respond to `server/discover` in time: it is slow, or ignores unknown methods. Sends
 * `initialize`; a late response to `server/discover` counts only if `initialize` fails.
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
  // Over HTTP a later request can arrive first, so the client waits until the notification is accepted.
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

// If HTTP+SSE fails as well, the URL is probably not that of an MCP server, and the error says so.
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

// Sends `server/discover` once more if the server rejected a revision that it names as supported.
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

// Repeats a request after 429 and 503 responses with `Retry-After`, unless the delay would exceed the deadline.
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
