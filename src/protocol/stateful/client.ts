/** Stateful revisions as clients speak them: capabilities, requests, input responses and results. */

import { ConnectionError } from '../../jsonrpc/errors.ts';
import { isFiniteThroughout, mayHaveInfiniteNumbers } from '../../jsonrpc/json/finite-numbers.ts';
import { JSON_LIMITS, jsonLimitFault } from '../../jsonrpc/json/json-limits.ts';
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

/** The revision this row describes. */
export function statefulClientRevision(features: RevisionFeatures): ClientRevision {
  return {
    features,
    encodeCapabilities: (capabilities) => encodeCapabilities(capabilities, features),
    encodeInputResponse: (method, answer) => encodeInputResponse(method, answer, features),
    encodeRequest: (params, _client, meta) => encodeRequest(params, meta),
    decodeResult: (method, result) => decodeResult(method, result, features),
  };
}

/** Params as they are: who we are was said when the session was opened. */
export function encodeRequest(params: Params | undefined, meta?: Meta): Params | undefined {
  if (!meta) return params;
  const given = params?.['_meta'];
  // A literal that spreads and then adds takes V8 many times as long.
  return Object.assign({}, params, { _meta: isObject(given) ? { ...given, ...meta } : meta });
}

/** A result is the end of its call and becomes what the server's code gave, unless it is a task. */
export function decodeResult(method: string, result: unknown, features: RevisionFeatures): Decoded {
  if (!isObject(result)) throw new ConnectionError('malformed', `The answer to ${method} has no "result" object`);
  if (features.execution && method === 'tools/call' && isTask(result))
    return { type: 'other', resultType: 'task', result };
  return { type: 'complete', result: unwrapResult(method, result) };
}

/** Params of `initialize`. */
export function initializeParams(client: ClientInfo, features: RevisionFeatures): Params {
  return {
    protocolVersion: features.version,
    capabilities: encodeCapabilities(clientCapabilities(client, features.version), features),
    clientInfo: encodeImplementation(client.info, features),
  };
}

/** What a client can do, in the revision's words and as far as the revision has any. */
export function encodeCapabilities(
  { elicitation, sampling, ...rest }: ClientCapabilities,
  features: RevisionFeatures,
): ClientCapabilities {
  // Where there are only forms, whoever has only pages has nothing.
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

/** The result as it was given. Only what is marked is touched; where a mark is wrong, everything stays as it came. */
export function unwrapResult(method: string, result: Result): Result {
  return decoders.get(method)?.(result) ?? result;
}

/** True for the answer to a call that goes on as an experimental task. No other result has a word for what it is. */
export function isTask(result: Result): boolean {
  return isObject(result['task']) && result['content'] === undefined && result['structuredContent'] === undefined;
}

interface Found {
  readonly structuredContent: unknown;
}

function unwrapToolResult(result: Result): Result {
  const { _meta } = result;
  if (!isObject(_meta)) return result;
  const found =
    _meta[WRAPPED_RESULT] === true ? structuredFromWrapper(result) : structuredFromText(result, _meta[STRUCTURED_TEXT]);
  return found ? { ...stripMarkers(result), ...found } : result;
}

function structuredFromWrapper({ structuredContent }: Result): Found | undefined {
  if (!isObject(structuredContent) || !Object.hasOwn(structuredContent, 'result')) return undefined;
  // More than was put in: whoever added it meant the object.
  return Object.keys(structuredContent).length === 1 ? { structuredContent: structuredContent['result'] } : undefined;
}

function structuredFromText(result: Result, index: unknown): Found | undefined {
  const { content } = result;
  if (!Array.isArray(content) || typeof index !== 'number' || Object.hasOwn(result, 'structuredContent')) {
    return undefined;
  }
  const block: unknown = content[index];
  if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return undefined;
  return parseStructured(block['text']);
}

const encoder = new TextEncoder();

function parseStructured(text: string): Found | undefined {
  // What is inside a text gets no deeper than what is not.
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
    // Deeper than the stack, which only a transport without limits lets in.
    return tool;
  }
}

function isMarked(tool: unknown): tool is Result {
  return isObject(tool) && isObject(tool['_meta']) && tool['_meta'][WRAPPED_RESULT] === true;
}

/** An answer in this revision's words. */
export function encodeInputResponse(method: string, answer: InputResponse, features: RevisionFeatures): InputResponse {
  if (method !== 'sampling/createMessage' || features.samplingTools) return answer;
  const result = answer as CreateMessageResult;
  const blocks = Array.isArray(result.content) ? result.content : [result.content as SamplingContent];
  return { ...result, content: oneBlock(blocks, features) } as CreateMessageResult;
}

// A message has one block of content here: of several, what can be said in words is.
function oneBlock(blocks: readonly SamplingContent[], features: RevisionFeatures): SamplingContent {
  const [first] = blocks;
  const isSpeakable =
    first && (first.type === 'text' || first.type === 'image' || (first.type === 'audio' && features.audio));
  if (blocks.length === 1 && isSpeakable) return encodeContent(first, features) as SamplingContent;
  return { type: 'text', text: blocks.map(describeBlock).join('\n') };
}

function describeBlock(block: SamplingContent): string {
  if (block.type === 'text') return block.text;
  return 'mimeType' in block ? `[${block.type}, ${block.mimeType}]` : `[${block.type}]`;
}
