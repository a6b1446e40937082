/** The client's half: requests carry nothing but their params, results what they had to be turned into. */

import { ConnectionError } from '../../jsonrpc/errors.ts';
import { isObject, type Params } from '../../jsonrpc/message.ts';
import { hasCapability } from '../caller.ts';
import { declaredBy } from '../declaring.ts';
import type { RevisionFacts } from '../facts.ts';
import type { ClientCapabilities } from '../model/capabilities.ts';
import type { Meta } from '../model/meta.ts';
import type { ClientFacts, Decoded } from '../revision.ts';
import { isTask, restore } from './decoding.ts';
import { encodeImplementation } from './items.ts';

/** Params as they are: who we are was said when the session was opened. */
export function encodeRequest(params: Params | undefined, meta?: Meta): Params | undefined {
  if (!meta) return params;
  const given = params?.['_meta'];
  // A literal that spreads and then adds takes V8 many times as long.
  return Object.assign({}, params, { _meta: isObject(given) ? { ...given, ...meta } : meta });
}

/** A result is the end of its call and becomes what the server's code gave, unless it is a task. */
export function decodeResult(method: string, result: unknown, facts: RevisionFacts): Decoded {
  if (!isObject(result)) throw new ConnectionError('malformed', `The answer to ${method} has no "result" object`);
  if (facts.execution && method === 'tools/call' && isTask(result))
    return { type: 'other', resultType: 'task', result };
  return { type: 'complete', result: restore(method, result) };
}

/** Params of `initialize`. */
export function initializeParams(client: ClientFacts, facts: RevisionFacts): Params {
  return {
    protocolVersion: facts.version,
    capabilities: encodeCapabilities(declaredBy(client, facts.version), facts),
    clientInfo: encodeImplementation(client.info, facts),
  };
}

/** What a client can do, in the revision's words and as far as the revision has any. */
export function encodeCapabilities(
  { elicitation, sampling, ...rest }: ClientCapabilities,
  facts: RevisionFacts,
): ClientCapabilities {
  // Where there are only forms, whoever has only pages has nothing.
  const hasForms = hasCapability({ ...(elicitation ? { elicitation } : {}) }, 'elicitation.form');
  const form = hasForms && facts.elicitation === 'form' ? { elicitation: {} } : {};
  const full = elicitation && facts.elicitation === 'form and url' ? { elicitation } : {};
  return { ...rest, ...form, ...full, ...(sampling ? { sampling: facts.samplingTools ? sampling : {} } : {}) };
}
