/** The client side of stateful revisions: encodes capabilities, requests and input responses, and decodes results. */

import { ConnectionError } from '../../jsonrpc/errors.ts';
import { jsonLimitFault } from '../../jsonrpc/json/json-scan.ts';
import { JSON_LIMITS } from '../../jsonrpc/json/message-limits.ts';
import { isFiniteThroughout, mayHaveInfiniteNumbers } from '../../jsonrpc/json/parse-message.ts';
import { isObject, type Params } from '../../jsonrpc/message.ts';
import { clientCapabilities, hasCapability } from '../capabilities.ts';
import type { ClientCapabilities } from '../model/capabilities.ts';
import type { InputResponse } from '../model/input-requests.ts';
import { type Meta, STRUCTURED_TEXT, WRAPPED_RESULT } from '../model/meta.ts';
import type { CreateMessageResult, SamplingContent } from '../model/sampling.ts';
import type { ClientInfo, ClientRevision, Decoded } from '../revision.ts';
import type { RevisionFeatures } from '../revisions.ts';
import { encodeContent } from './content.ts';
import { encodeImplementation } from './encode-lists.ts';
import { stripMarkers, unwrapSchema } from './wrap-structured.ts';

export function statefulClientRevision(features: RevisionFeatures): ClientRevision {
  return {
    features,
    encodeCapabilities: (capabilities) => encodeCapabilities(capabilities, features),
    encodeInputResponse: (method, response) => encodeInputResponse(method, response, features),
    encodeRequest: (params, _client, meta) => encodeRequest(params, meta),
    decodeResult: (method, result) => decodeResult(method, result, features),
  };
}

/** Adds `meta` to `_meta` of the params. Client info and capabilities are sent only with `initialize`. */
export function encodeRequest(params: Params | undefined, meta?: Meta): Params | undefined {
  if (!meta) return params;
  const given = params?.['_meta'];
  // `Object.assign` is many times faster in V8 than an object literal with spread and further members.
  return Object.assign({}, params, { _meta: isObject(given) ? { ...given, ...meta } : meta });
}

export function decodeResult(method: string, result: unknown, features: RevisionFeatures): Decoded {
  if (!isObject(result)) throw new ConnectionError('malformed', `The response to ${method} has no "result" object`);
  if (features.execution && method === 'tools/call' && isTask(result))
    return { type: 'other', resultType: 'task', result };
  return { type: 'complete', result: unwrapResult(method, result) };
}

export function initializeParams(client: ClientInfo, features: RevisionFeatures): Params {
  return {
    protocolVersion: features.version,
    capabilities: encodeCapabilities(clientCapabilities(client, features.version), features),
    clientInfo: encodeImplementation(client.info, features),
  };
}

export function encodeCapabilities(
  { elicitation, sampling, ...rest }: ClientCapabilities,
  features: RevisionFeatures,
): ClientCapabilities {
  // If the revision has only form mode, a client that supports only URL mode declares no `elicitation`.
  const hasForms = hasCapability({ ...(elicitation ? { elicitation } : {}) }, 'elicitation.form');
  const form = hasForms && features.elicitation === 'form' ? { elicitation: {} } : {};
  const full = elicitation && features.elicitation === 'form and url' ? { elicitation } : {};
  return { ...rest, ...form, ...full, ...(sampling ? { sampling: features.samplingTools ? sampling : {} } : {}) };
}

type Result = Record<string, unknown>;

const decoders: ReadonlyMap<string, (result: Result) => Result> = new Map([
  ['tools/call', unwrapToolResult],
  ['tools/list', unwrapTools],
]);

/** Restores structured content and output schemas that the server wrapped or sent as text. Other results stay unchanged. */
export function unwrapResult(method: string, result: Result): Result {
  return decoders.get(method)?.(result) ?? result;
}

/** Returns true if a `tools/call` result is an experimental task, by its members: stateful results have no `resultType`. */
export function isTask(result: Result): boolean {
  return isObject(result['task']) && result['content'] === undefined && result['structuredContent'] === undefined;
}

interface Structured {
  readonly structuredContent: unknown;
}

function unwrapToolResult(result: Result): Result {
  const { _meta } = result;
  if (!isObject(_meta)) return result;
  const structured =
    _meta[WRAPPED_RESULT] === true ? structuredFromWrapper(result) : structuredFromText(result, _meta[STRUCTURED_TEXT]);
  return structured ? { ...stripMarkers(result), ...structured } : result;
}

function structuredFromWrapper({ structuredContent }: Result): Structured | undefined {
  if (!isObject(structuredContent) || !Object.hasOwn(structuredContent, 'result')) return undefined;
  // Only an object whose single member is `result` is a wrapper.
  return Object.keys(structuredContent).length === 1 ? { structuredContent: structuredContent['result'] } : undefined;
}

function structuredFromText(result: Result, index: unknown): Structured | undefined {
  const { content } = result;
  if (!Array.isArray(content) || typeof index !== 'number' || Object.hasOwn(result, 'structuredContent')) {
    return undefined;
  }
  const block: unknown = content[index];
  if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return undefined;
  return parseStructured(block['text']);
}

const encoder = new TextEncoder();

function parseStructured(text: string): Structured | undefined {
  // `text` is checked against the message limits, because the check of the whole message does not look into strings.
  if (jsonLimitFault(encoder.encode(text), JSON_LIMITS)) return undefined;
  try {
    const structuredContent: unknown = JSON.parse(text);
    return mayHaveInfiniteNumbers(text) && !isFiniteThroughout(structuredContent) ? undefined : { structuredContent };
  } catch {
    return undefined;
  }
}

function unwrapTools(result: Result): Result {
  const { tools } = result;
  return Array.isArray(tools) && tools.some(isMarked) ? { ...result, tools: tools.map(unwrapTool) } : result;
}

function unwrapTool(tool: unknown): unknown {
  if (!isMarked(tool)) return tool;
  try {
    const outputSchema = unwrapSchema(tool['outputSchema']);
    return outputSchema ? { ...stripMarkers(tool), outputSchema } : tool;
  } catch {
    // Stack overflow: the schema is nested too deep. Possible only with transports that do not limit the depth of messages.
    return tool;
  }
}

function isMarked(tool: unknown): tool is Result {
  return isObject(tool) && isObject(tool['_meta']) && tool['_meta'][WRAPPED_RESULT] === true;
}

/** Encodes an input response. In revisions before 2025-11-25, a sampling result has a single content block. */
export function encodeInputResponse(
  method: string,
  response: InputResponse,
  features: RevisionFeatures,
): InputResponse {
  if (method !== 'sampling/createMessage' || features.samplingTools) return response;
  const result = response as CreateMessageResult;
  const blocks = Array.isArray(result.content) ? result.content : [result.content as SamplingContent];
  return { ...result, content: oneBlock(blocks, features) } as CreateMessageResult;
}

// Replaces several blocks, or a block of a type that the revision does not have, with one text block.
function oneBlock(blocks: readonly SamplingContent[], features: RevisionFeatures): SamplingContent {
  const [first] = blocks;
  const isKnown =
    first && (first.type === 'text' || first.type === 'image' || (first.type === 'audio' && features.audio));
  if (blocks.length === 1 && isKnown) return encodeContent(first, features) as SamplingContent;
  return { type: 'text', text: blocks.map(describeBlock).join('\n') };
}

function describeBlock(block: SamplingContent): string {
  if (block.type === 'text') return block.text;
  return 'mimeType' in block ? `[${block.type}, ${block.mimeType}]` : `[${block.type}]`;
}
