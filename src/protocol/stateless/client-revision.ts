/** The client's half of the revisions without a handshake. */

import type { RevisionFacts } from '../facts.ts';
import type { ClientRevision } from '../revision.ts';
import { decodeResult, encodeCapabilities, encodeRequest } from './requests.ts';

/** The revision this row describes. */
export function statelessClientRevision(facts: RevisionFacts): ClientRevision {
  return {
    facts,
    encodeCapabilities,
    encodeAnswer: (_method, answer) => answer,
    encodeRequest: (params, client, meta) => encodeRequest(params, client, facts.version, meta),
    decodeResult,
  };
}
