/** Answers to live questions, in the words each stateful revision has for them. */

import type { RevisionFacts } from '../facts.ts';
import type { Answer } from '../model/questions.ts';
import type { CreateMessageResult, SamplingContent } from '../model/sampling.ts';
import { encodeContent } from './content.ts';

/** An answer in this revision's words. */
export function encodeAnswer(method: string, answer: Answer, facts: RevisionFacts): Answer {
  if (method !== 'sampling/createMessage' || facts.samplingTools) return answer;
  const result = answer as CreateMessageResult;
  const blocks = Array.isArray(result.content) ? result.content : [result.content as SamplingContent];
  return { ...result, content: oneBlock(blocks, facts) } as CreateMessageResult;
}

// A message has one block of content here: of several, what can be said in words is.
function oneBlock(blocks: readonly SamplingContent[], facts: RevisionFacts): SamplingContent {
  const [first] = blocks;
  const isSpeakable =
    first && (first.type === 'text' || first.type === 'image' || (first.type === 'audio' && facts.audio));
  if (blocks.length === 1 && isSpeakable) return encodeContent(first, facts) as SamplingContent;
  return { type: 'text', text: blocks.map(inWords).join('\n') };
}

function inWords(block: SamplingContent): string {
  if (block.type === 'text') return block.text;
  return 'mimeType' in block ? `[${block.type}, ${block.mimeType}]` : `[${block.type}]`;
}
