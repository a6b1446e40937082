/** The client's half of the revisions with a handshake. */

import type { RevisionFacts } from '../facts.ts';
import type { ClientRevision } from '../revision.ts';
import { encodeAnswer } from './answers.ts';
import { decodeResult, encodeCapabilities, encodeRequest } from './requests.ts';

/** The revision this row describes. */
export function statefulClientRevision(facts: RevisionFacts): ClientRevision {
  return {
    facts,
    encodeCapabilities: (capabilities) => encodeCapabilities(capabilities, facts),
    encodeAnswer: (method, answer) => encodeAnswer(method, answer, facts),
    encodeRequest: (params, _client, meta) => encodeRequest(params, meta),
    decodeResult: (method, result) => decodeResult(method, result, facts),
  };
}
