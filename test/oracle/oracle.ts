/** Says why a wire message does not fit its revision's schema. Every message of every transcript is asked about here. */

import {
  type Definitions,
  isRecord,
  isUpTo,
  QUESTIONS,
  RESULTS,
  type SchemaRevision,
  type Side,
} from './definitions.ts';
import { publishedDefinitions } from './published.ts';
import { schemaDefinitions } from './schemas.ts';

/** What has to be known of a message beside itself. */
export interface About {
  readonly from: Side;
  /** The method of the other side's request with this id. */
  readonly answers?: (id: unknown) => string | undefined;
  /** The method of the question with this key that a stateless server asked. */
  readonly asked?: (key: string) => string | undefined;
  /** Methods that are not the protocol's, but the conversation's own. */
  readonly own?: ReadonlySet<string>;
}

/** Every source of schemas there is here: the specification's, where it can be found, and the published ones always. */
export const sources: readonly Definitions[] = [schemaDefinitions(), publishedDefinitions()].filter(
  (source) => source !== undefined,
);

const preferred = process.env['MCPP_ORACLE'] === 'published' ? sources.at(-1) : sources[0];

/** Why the message is not one of this revision's; undefined if it is. */
export function schemaFault(
  revision: SchemaRevision,
  message: unknown,
  about: About,
  source: Definitions = preferred as Definitions,
): string | undefined {
  if (Array.isArray(message)) return batchFault(revision, message, about, source);
  if (!isRecord(message)) return 'a message must be an object';
  const parts = ['method', 'result', 'error'].filter((part) => part in message);
  if (parts.length > 1) return `a message has either ${parts.join(' or ')}`;
  if ('method' in message) return callFault(revision, message, about, source);
  if ('result' in message) return resultFault(revision, message, about, source);
  return errorFault(revision, message, source);
}

function batchFault(
  revision: SchemaRevision,
  batch: readonly unknown[],
  about: About,
  source: Definitions,
): string | undefined {
  if (revision !== '2025-03-26') return `${revision} has no batches`;
  if (batch.length === 0) return 'a batch must not be empty';
  const calls = batch.filter((one) => isRecord(one) && 'method' in one);
  if (calls.length > 0 && calls.length < batch.length) return 'a batch holds either calls or answers';
  if (calls.some((one) => (one as Record<string, unknown>)['method'] === 'initialize')) {
    return 'initialize must not be part of a batch';
  }
  return first(batch.map((one) => () => schemaFault(revision, one, about, source)));
}

function callFault(
  revision: SchemaRevision,
  message: Record<string, unknown>,
  about: About,
  source: Definitions,
): string | undefined {
  const kind = 'id' in message ? 'request' : 'notification';
  const method = String(message['method']);
  const definition = source.definitionOf(revision, about.from, kind, method);
  const envelope = (): string | undefined =>
    source.fault(revision, kind === 'request' ? 'JSONRPCRequest' : 'JSONRPCNotification', message);
  if (!definition)
    return about.own?.has(method) ? envelope() : `${revision} has no ${kind} ${method} of the ${about.from}`;
  return first([
    envelope,
    () => source.fault(revision, definition, message),
    () => (revision === '2026-07-28' ? answersFault(revision, message['params'], about, source) : undefined),
  ]);
}

// Each answer is what its question asked for, not just any of the three.
function answersFault(
  revision: SchemaRevision,
  params: unknown,
  about: About,
  source: Definitions,
): string | undefined {
  const answers =
    isRecord(params) && isRecord(params['inputResponses']) ? Object.entries(params['inputResponses']) : [];
  return first(
    answers.map(([key, answer]) => () => {
      const definition = RESULTS.get(about.asked?.(key) ?? '');
      return definition && source.fault(revision, definition, answer);
    }),
  );
}

function resultFault(
  revision: SchemaRevision,
  message: Record<string, unknown>,
  about: About,
  source: Definitions,
): string | undefined {
  const { id, result } = message;
  const method = about.answers?.(id);
  if (method === undefined) return `the result answers no request: id ${JSON.stringify(id)}`;
  if (about.from === 'client' && revision === '2026-07-28') return `${revision} has no results of the client`;
  const isOwn = about.own?.has(method) === true;
  const definition = isOwn ? 'Result' : RESULTS.get(method);
  if (!definition) return `${revision} has no result of ${method}`;
  const envelope = isUpTo(revision, '2025-06-18') ? 'JSONRPCResponse' : 'JSONRPCResultResponse';
  return first([
    () => source.fault(revision, envelope, message),
    () =>
      revision === '2026-07-28'
        ? statelessResultFault(revision, method, definition, result, isOwn, source)
        : source.fault(revision, definition, result),
  ]);
}

const CAN_ASK: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

function statelessResultFault(
  revision: SchemaRevision,
  method: string,
  definition: string,
  result: unknown,
  isOwn: boolean,
  source: Definitions,
): string | undefined {
  const type = isRecord(result) ? result['resultType'] : undefined;
  if (type !== 'input_required') {
    const fault = source.fault(revision, definition, result);
    return fault ?? (type === 'complete' || isOwn ? undefined : `resultType "${type}" is not known`);
  }
  if (!CAN_ASK.has(method)) return `${method} must not be answered with input_required`;
  const { inputRequests, requestState, ttlMs, cacheScope } = result as Record<string, unknown>;
  if (inputRequests === undefined && requestState === undefined) return 'input_required without questions and state';
  if (ttlMs !== undefined || cacheScope !== undefined) return 'input_required must not be cached';
  return first([
    () => source.fault(revision, 'InputRequiredResult', result),
    ...Object.values(isRecord(inputRequests) ? inputRequests : {}).map((question) => () => {
      const asked = QUESTIONS.get(isRecord(question) ? question['method'] : undefined);
      return asked ? source.fault(revision, asked, question) : 'a question must be one of the three';
    }),
  ]);
}

// Codes whose data the revision defines, and codes it must not send at all.
const SPECIAL: Readonly<Record<string, ReadonlyMap<unknown, string>>> = {
  '2025-11-25': new Map([[-32042, 'URLElicitationRequiredError']]),
  '2026-07-28': new Map([
    [-32020, 'HeaderMismatchError'],
    [-32021, 'MissingRequiredClientCapabilityError'],
    [-32022, 'UnsupportedProtocolVersionError'],
  ]),
};

function errorFault(
  revision: SchemaRevision,
  message: Record<string, unknown>,
  source: Definitions,
): string | undefined {
  const code = isRecord(message['error']) ? message['error']['code'] : undefined;
  const isOld = isUpTo(revision, '2025-06-18');
  // The one exception: these revisions want an id on every error, also on one about a message whose id cannot be read.
  const unreadable = isOld && message['id'] === null && (code === -32700 || code === -32600);
  const checked = unreadable ? { ...message, id: 0 } : message;
  const special = SPECIAL[revision]?.get(code);
  if (revision === '2026-07-28' && !special && isReserved(code)) return `${revision} does not define the code ${code}`;
  return first([
    () => source.fault(revision, isOld ? 'JSONRPCError' : 'JSONRPCErrorResponse', checked),
    () => special && source.fault(revision, special, checked),
  ]);
}

function isReserved(code: unknown): boolean {
  return code === -32002 || (typeof code === 'number' && code <= -32020 && code >= -32099);
}

function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const fault = check();
    if (fault) return fault;
  }
  return undefined;
}
