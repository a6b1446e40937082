/** Content for clients that do not know all of it: unknown *kinds* break them, so those become kinds they know. */

import type { Annotations, ContentBlock, EmbeddedResource, ResourceContents, TextContent } from '../model/content.ts';
import { without } from '../params.ts';
import type { RevisionFeatures } from '../revisions.ts';

/** One block in this revision's words. */
export function encodeContent(block: ContentBlock, features: RevisionFeatures): ContentBlock {
  if (block.type === 'audio' && !features.audio)
    return encodeContent(audioAsResource(block.data, block.mimeType), features);
  if (block.type === 'resource_link' && !features.resourceLinks) {
    return text(`${block.name}: ${block.uri}`);
  }
  const known = features.itemMeta ? block : withoutMeta(block);
  if (known.type === 'resource') return { ...known, resource: encodeContents(known.resource, features) };
  if (known.type === 'resource_link' && !features.icons) return without(known, 'icons');
  return known;
}

/** What a resource holds, in this revision's words. */
export function encodeContents(contents: ResourceContents, features: RevisionFeatures): ResourceContents {
  return features.itemMeta ? contents : without(contents, '_meta');
}

/** Annotations without what the revision does not know. */
export function encodeAnnotations(annotations: Annotations, features: RevisionFeatures): Annotations {
  return features.itemMeta ? annotations : without(annotations, 'lastModified');
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
