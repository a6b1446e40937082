/** Content for clients that do not know all of it: unknown *kinds* break them, so those become kinds they know. */

import type { Annotations, ContentBlock, EmbeddedResource, ResourceContents, TextContent } from '../model/content.ts';
import { without } from '../params.ts';
import type { RevisionFeatures } from '../revisions.ts';

/** One block in this revision's words. */
export function encodeContent(block: ContentBlock, facts: RevisionFeatures): ContentBlock {
  if (block.type === 'audio' && !facts.audio) return encodeContent(audioAsResource(block.data, block.mimeType), facts);
  if (block.type === 'resource_link' && !facts.resourceLinks) {
    return text(`${block.name}: ${block.uri}`);
  }
  const known = facts.itemMeta ? block : withoutMeta(block);
  if (known.type === 'resource') return { ...known, resource: encodeContents(known.resource, facts) };
  if (known.type === 'resource_link' && !facts.icons) return without(known, 'icons');
  return known;
}

/** What a resource holds, in this revision's words. */
export function encodeContents(contents: ResourceContents, facts: RevisionFeatures): ResourceContents {
  return facts.itemMeta ? contents : without(contents, '_meta');
}

/** Annotations without what the revision does not know. */
export function encodeAnnotations(annotations: Annotations, facts: RevisionFeatures): Annotations {
  return facts.itemMeta ? annotations : without(annotations, 'lastModified');
}

function withoutMeta<B extends ContentBlock>(block: B): B {
  const bare = without(block, '_meta');
  if (!bare.annotations || !('lastModified' in bare.annotations)) return bare;
  return { ...bare, annotations: without(bare.annotations, 'lastModified') };
}

function audioAsResource(data: string, mimeType: string): EmbeddedResource {
  return { type: 'resource', resource: { uri: `data:${mimeType}`, mimeType, blob: data } };
}

function text(value: string): TextContent {
  return { type: 'text', text: value };
}
