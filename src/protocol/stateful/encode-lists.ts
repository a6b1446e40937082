/** Encodes list entries and implementations for stateful revisions, without members that the revision does not have. */

import type { Implementation } from '../model/implementation.ts';
import { WRAPPED_RESULT } from '../model/meta.ts';
import type { Prompt } from '../model/prompts.ts';
import type { Tool, ToolAnnotations } from '../model/tools.ts';
import { without } from '../params.ts';
import type { ListKind } from '../revision.ts';
import type { RevisionFeatures } from '../revisions.ts';
import { encodeItemMeta } from './content.ts';
import { addMarker, isWrapped, plainProperties, stripMarkers, wrapSchema } from './wrap-structured.ts';

export function encodeListEntry(kind: ListKind, item: object, features: RevisionFeatures): object {
  if (kind === 'tools') return encodeTool(item as Tool, features);
  const known = encodeCommon(item, features);
  if (features.titles) return known;
  const bare = without(known, 'title');
  const { arguments: args } = bare as Partial<Prompt>;
  if (kind !== 'prompts' || !args) return bare;
  return { ...bare, arguments: args.map((argument) => without(argument, 'title')) };
}

export function encodeImplementation(info: Implementation, features: RevisionFeatures): Implementation {
  const known = features.icons ? info : without(info, 'icons', 'description', 'websiteUrl');
  return features.titles ? known : without(known, 'title');
}

function encodeTool(tool: Tool, features: RevisionFeatures): object {
  const { title, annotations, outputSchema, ...rest } = stripMarkers(encodeCommon(tool, features));
  const known = {
    ...rest,
    inputSchema: plainProperties(tool.inputSchema),
    ...(title !== undefined && features.toolTitle === 'title' ? { title } : {}),
    ...toolAnnotations(annotations, title, features),
  };
  if (!outputSchema || features.structuredContent === 'nothing') return known;
  if (!isWrapped(outputSchema)) return { ...known, outputSchema: plainProperties(outputSchema) };
  const wrapped = { ...known, outputSchema: wrapSchema(outputSchema) };
  return features.itemMeta ? addMarker(wrapped, WRAPPED_RESULT, true) : wrapped;
}

function toolAnnotations(
  annotations: ToolAnnotations | undefined,
  title: string | undefined,
  features: RevisionFeatures,
): object {
  if (!features.toolAnnotations) return {};
  if (title !== undefined && features.toolTitle === 'annotations') return { annotations: { ...annotations, title } };
  return annotations ? { annotations } : {};
}

function encodeCommon<T extends { readonly annotations?: object }>(item: T, features: RevisionFeatures): T {
  const absent = [...(features.execution ? [] : ['execution']), ...(features.icons ? [] : ['icons'])];
  return encodeItemMeta(without(item, ...absent), features);
}
