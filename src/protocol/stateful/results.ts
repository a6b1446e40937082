/** Results as handlers gave them, without what the revision does not know. */

import { EncodedJson, isObject } from '../../jsonrpc/message.ts';
import type { ContentBlock, ResourceContents } from '../model/content.ts';
import type { PromptMessage } from '../model/prompts.ts';
import type { EncodedPage, ListKind, ResultFacts } from '../revision.ts';
import type { RevisionFacts } from '../versions.ts';
import { without } from '../without.ts';
import { encodeContent, encodeContents } from './content.ts';
import { encodeItem } from './items.ts';
import { wrapValue } from './structured.ts';

type Encode = (result: Record<string, unknown>, facts: RevisionFacts, about: ResultFacts) => object;

const list =
  (kind: ListKind): Encode =>
  (result, facts) => ({ ...result, [kind]: (result[kind] as object[]).map((item) => encodeItem(kind, item, facts)) });

const encoders: ReadonlyMap<string, Encode> = new Map<string, Encode>([
  ['tools/call', encodeToolResult],
  ['prompts/get', encodePromptResult],
  ['resources/read', encodeReadResult],
  ['tools/list', list('tools')],
  ['prompts/list', list('prompts')],
  ['resources/list', list('resources')],
  ['resources/templates/list', list('resourceTemplates')],
]);

/** A result in this revision's words. */
export function encodeResult(method: string, result: object, facts: RevisionFacts, about: ResultFacts): object {
  const encode = encoders.get(method);
  const plain = without(result, 'resultType') as Record<string, unknown>;
  return encode ? encode(plain, facts, about) : plain;
}

/** A page of entries that are encoded already. */
export function encodePage({ kind, items, nextCursor }: EncodedPage): EncodedJson {
  const cursor = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  return new EncodedJson(`{"${kind}":[${items.join(',')}]${cursor}}`);
}

function encodeToolResult(result: Record<string, unknown>, facts: RevisionFacts, about: ResultFacts): object {
  const content = (result['content'] as ContentBlock[]).map((block) => encodeContent(block, facts));
  if (result['structuredContent'] === undefined) return { ...without(result, 'structuredContent'), content };
  if (facts.structuredContent === 'nothing') return { ...without(result, 'structuredContent'), content };
  // An error need not follow the tool's schema, so neither does its wrapping.
  const schema = result['isError'] === true ? undefined : about.outputSchema;
  return { ...result, content, structuredContent: wrapValue(result['structuredContent'], schema) };
}

function encodePromptResult(result: Record<string, unknown>, facts: RevisionFacts): object {
  const messages = (result['messages'] as PromptMessage[]).map((message) => ({
    ...message,
    content: isObject(message.content) ? encodeContent(message.content, facts) : message.content,
  }));
  return { ...result, messages };
}

function encodeReadResult(result: Record<string, unknown>, facts: RevisionFacts): object {
  return { ...result, contents: (result['contents'] as ResourceContents[]).map((one) => encodeContents(one, facts)) };
}
