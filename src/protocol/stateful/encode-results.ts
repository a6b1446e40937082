/** Encodes results for stateful revisions. Members and content types that the revision lacks are removed or replaced. */

import { EncodedJson, isObject } from '../../jsonrpc/message.ts';
import type { MethodRow } from '../methods.ts';
import type { ContentBlock, ResourceContents } from '../model/content.ts';
import { STRUCTURED_TEXT, WRAPPED_RESULT } from '../model/meta.ts';
import type { PromptMessage } from '../model/prompts.ts';
import { type CallToolResult, structuredResultText } from '../model/tools.ts';
import { without } from '../params.ts';
import type { EncodedPage, EncodingHints, ListKind } from '../revision.ts';
import type { RevisionFeatures } from '../revisions.ts';
import { encodeContent, encodeContents } from './content.ts';
import { encodeListEntry } from './encode-lists.ts';
import { addMarker, isWrappedValue, stripMarkers } from './wrap-structured.ts';

type Encode = (result: Record<string, unknown>, features: RevisionFeatures, hints: EncodingHints) => object;

const list =
  (kind: ListKind): Encode =>
  (result, features) => ({
    ...result,
    [kind]: (result[kind] as object[]).map((item) => encodeListEntry(kind, item, features)),
  });

const encoders: ReadonlyMap<string, Encode> = new Map<string, Encode>([
  ['tools/call', encodeToolResult],
  ['prompts/get', encodePromptResult],
  ['resources/read', encodeReadResult],
  ['tools/list', list('tools')],
  ['prompts/list', list('prompts')],
  ['resources/list', list('resources')],
  ['resources/templates/list', list('resourceTemplates')],
]);

export function encodeResult(
  row: MethodRow | undefined,
  result: object,
  features: RevisionFeatures,
  hints: EncodingHints,
): object {
  // Results with the `resultType` of an extension are not encoded, because they lack the members of the method's own result.
  const encode = row && hints.resultType === undefined ? encoders.get(row.method) : undefined;
  const plain = without(result, 'resultType') as Record<string, unknown>;
  return encode ? encode(plain, features, hints) : plain;
}

/** Encodes a tool result from the JSON of its structured content; undefined if the content must be wrapped or sent as text. */
export function encodeStructuredResult(
  json: string,
  result: CallToolResult,
  features: RevisionFeatures,
  { outputSchema }: EncodingHints,
): EncodedJson | undefined {
  const isPlain = features.structuredContent !== 'nothing' && !isWrappedValue(result.structuredContent, outputSchema);
  return isPlain ? new EncodedJson(structuredResultText(json), result) : undefined;
}

export function encodePage({ kind, items, nextCursor }: EncodedPage): EncodedJson {
  const cursor = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  return new EncodedJson(`{"${kind}":[${items.join(',')}]${cursor}}`);
}

function encodeToolResult(given: Record<string, unknown>, features: RevisionFeatures, hints: EncodingHints): object {
  const { structuredContent } = given;
  // The output schema does not decide whether an error is wrapped, because an error need not match the schema.
  const schema = given['isError'] === true ? undefined : hints.outputSchema;
  const isPlain = features.structuredContent !== 'nothing' && !isWrappedValue(structuredContent, schema);
  const content = (given['content'] as ContentBlock[]).map((block) => encodeContent(block, features));
  const result = { ...stripMarkers(given), content };
  if (structuredContent === undefined || isPlain) return result;
  if (features.structuredContent === 'nothing') {
    return withStructuredText(without(result, 'structuredContent'), structuredContent);
  }
  return { ...addMarker(result, WRAPPED_RESULT, true), structuredContent: { result: structuredContent } };
}

function withStructuredText(result: { content: readonly ContentBlock[] }, structuredContent: unknown): object {
  const { content } = result;
  const text = JSON.stringify(structuredContent) as string | undefined;
  // `JSON.stringify` returns undefined for values without a JSON form, such as functions.
  if (text === undefined) return result;
  const at = content.findIndex((block) => block.type === 'text' && block.text === text);
  if (at >= 0) return addMarker(result, STRUCTURED_TEXT, at);
  return { ...addMarker(result, STRUCTURED_TEXT, content.length), content: [...content, { type: 'text', text }] };
}

function encodePromptResult(result: Record<string, unknown>, features: RevisionFeatures): object {
  const messages = (result['messages'] as PromptMessage[]).map((message) => ({
    ...message,
    content: isObject(message.content) ? encodeContent(message.content, features) : message.content,
  }));
  return { ...result, messages };
}

function encodeReadResult(result: Record<string, unknown>, features: RevisionFeatures): object {
  return {
    ...result,
    contents: (result['contents'] as ResourceContents[]).map((one) => encodeContents(one, features)),
  };
}
