/** Encodes input requests as JSON-RPC requests from server to client, for stateful revisions. */

import { RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import type { ElicitField, ElicitFormParams, ElicitUrlParams } from '../model/elicitation.ts';
import type { InputRequest } from '../model/input-requests.ts';
import type { CreateMessageParams, SamplingContent, SamplingMessage } from '../model/sampling.ts';
import { without } from '../params.ts';
import type { RevisionFeatures } from '../revisions.ts';
import { encodeContent } from './content.ts';

export function encodeInputRequest(
  { method, params }: InputRequest,
  features: RevisionFeatures,
): { method: string; params?: Params } {
  if (method === 'elicitation/create') return { method, params: { ...encodeElicitation(params, features) } };
  if (method === 'sampling/createMessage') return { method, params: { ...encodeSampling(params, features) } };
  return params ? { method, params } : { method };
}

function encodeElicitation(params: ElicitFormParams | ElicitUrlParams, features: RevisionFeatures): object {
  if (params.mode === 'url') {
    if (features.elicitation !== 'form and url') throw unavailable('elicitation by URL', features);
    // An existing `elicitationId` is kept, because an input request that is sent again is the same elicitation.
    return features.elicitationIds ? { elicitationId: globalThis.crypto.randomUUID(), ...params } : params;
  }
  if (features.elicitation === 'none') throw unavailable('elicitation', features);
  if (features.elicitation === 'form and url') return params;
  const { properties, ...form } = params.requestedSchema;
  const fields = Object.entries(properties).map(([name, field]) => [name, simpleField(name, field, features)]);
  return {
    message: params.message,
    requestedSchema: { ...form, properties: Object.fromEntries(fields) },
  };
}

// Encodes a form field for 2025-06-18: only booleans have defaults, `enumNames` has choice titles, multiple choice is missing.
function simpleField(name: string, field: ElicitField, features: RevisionFeatures): object {
  if (field.type === 'array') throw unavailable(`a form with a choice of several values (field "${name}")`, features);
  if (field.type === 'boolean') return field;
  const plain = without(field, 'default');
  if (plain.type !== 'string' || !plain.oneOf) return plain;
  const { oneOf, ...rest } = plain;
  return { ...rest, enum: oneOf.map((option) => option.const), enumNames: oneOf.map((option) => option.title) };
}

function encodeSampling(params: CreateMessageParams, features: RevisionFeatures): object {
  if (features.samplingTools) return params;
  return {
    ...without(params, 'tools', 'toolChoice'),
    messages: params.messages.flatMap((one) => oneBlock(one, features)),
  };
}

// Splits a message with several content blocks, because before 2025-11-25 a sampling message has exactly one content block.
function oneBlock(message: SamplingMessage, features: RevisionFeatures): object[] {
  const blocks = Array.isArray(message.content) ? message.content : [message.content as SamplingContent];
  return blocks.map((block: SamplingContent) => {
    if (block.type === 'tool_use' || block.type === 'tool_result') throw unavailable('sampling with tools', features);
    const content =
      block.type === 'audio' && !features.audio
        ? { type: 'text', text: `[audio, ${block.mimeType}]` }
        : encodeContent(block, features);
    return { role: message.role, content };
  });
}

function unavailable(what: string, features: RevisionFeatures): RpcError {
  return RpcError.invalidParams(`The client speaks protocol revision ${features.version}, which has no ${what}`);
}
