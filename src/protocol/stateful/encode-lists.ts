/** Entries of lists, without what the revision does not know. */

import type { Annotations } from '../model/content.ts';
import type { Implementation } from '../model/implementation.ts';
import { WRAPPED_RESULT } from '../model/meta.ts';
import type { Prompt } from '../model/prompts.ts';
import type { Resource, ResourceTemplate } from '../model/resources.ts';
import type { Tool, ToolAnnotations } from '../model/tools.ts';
import { without } from '../params.ts';
import type { ListKind } from '../revision.ts';
import type { RevisionFeatures } from '../revisions.ts';
import { encodeAnnotations } from './content.ts';
import { addMarker, isWrapped, plainProperties, stripMarkers, wrapSchema } from './wrap-structured.ts';

/** One entry of a list in this revision's words. */
export function encodeListEntry(kind: ListKind, item: object, features: RevisionFeatures): object {
  if (kind === 'tools') return encodeTool(item as Tool, features);
  if (kind === 'prompts') return encodePrompt(item as Prompt, features);
  return encodeResource(item as Resource | ResourceTemplate, features);
}

/** A server or client, as it introduces itself. */
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
) {
  if (!features.toolAnnotations) return {};
  if (title !== undefined && features.toolTitle === 'annotations') return { annotations: { ...annotations, title } };
  return annotations ? { annotations } : {};
}

function encodePrompt(prompt: Prompt, features: RevisionFeatures): object {
  const known = encodeCommon(prompt, features);
  const bare = features.titles ? known : without(known, 'title');
  if (!bare.arguments || features.titles) return bare;
  return { ...bare, arguments: bare.arguments.map((argument) => without(argument, 'title')) };
}

function encodeResource(resource: Resource | ResourceTemplate, features: RevisionFeatures): object {
  const known = encodeCommon(resource, features);
  const bare = features.titles ? known : without(known, 'title');
  return bare.annotations
    ? { ...bare, annotations: encodeAnnotations(bare.annotations as Annotations, features) }
    : bare;
}

function encodeCommon<T extends object>(item: T, features: RevisionFeatures): T {
  const timely = features.execution ? item : without(item, 'execution');
  const known = features.icons ? timely : without(timely, 'icons');
  return features.itemMeta ? known : without(known, '_meta');
}
