/** Encodes content blocks for stateful revisions. Block types that a revision lacks become types that it has. */

import type { ContentBlock, ResourceContents } from '../model/content.ts';
import { without } from '../params.ts';
import type { RevisionFeatures } from '../revisions.ts';

/** Encodes a content block. Unsupported audio becomes an embedded resource; an unsupported resource link becomes text. */
export function encodeContent(block: ContentBlock, features: RevisionFeatures): ContentBlock {
  if (block.type === 'audio' && !features.audio) {
    const { data, mimeType } = block;
    return { type: 'resource', resource: { uri: `data:${mimeType}`, mimeType, blob: data } };
  }
  if (block.type === 'resource_link' && !features.resourceLinks) {
    return { type: 'text', text: `${block.name}: ${block.uri}` };
  }
  const known = encodeItemMeta(block, features);
  if (known.type === 'resource') return { ...known, resource: encodeContents(known.resource, features) };
  if (known.type === 'resource_link' && !features.icons) return without(known, 'icons');
  return known;
}

export function encodeContents(contents: ResourceContents, features: RevisionFeatures): ResourceContents {
  return features.itemMeta ? contents : without(contents, '_meta');
}

/** Removes `_meta` and `annotations.lastModified` if the revision does not have them. */
export function encodeItemMeta<T extends { readonly annotations?: object }>(item: T, features: RevisionFeatures): T {
  if (features.itemMeta) return item;
  const bare = without(item, '_meta');
  if (!bare.annotations || !('lastModified' in bare.annotations)) return bare;
  return { ...bare, annotations: without(bare.annotations, 'lastModified') };
}
