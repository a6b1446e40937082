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
export function encodeListEntry(kind: ListKind, item: object, facts: RevisionFeatures): object {
  if (kind === 'tools') return encodeTool(item as Tool, facts);
  if (kind === 'prompts') return encodePrompt(item as Prompt, facts);
  return encodeResource(item as Resource | ResourceTemplate, facts);
}

/** A server or client, as it introduces itself. */
export function encodeImplementation(info: Implementation, facts: RevisionFeatures): Implementation {
  const known = facts.icons ? info : without(info, 'icons', 'description', 'websiteUrl');
  return facts.titles ? known : without(known, 'title');
}

function encodeTool(tool: Tool, facts: RevisionFeatures): object {
  const { title, annotations, outputSchema, ...rest } = stripMarkers(common(tool, facts));
  const known = {
    ...rest,
    inputSchema: plainProperties(tool.inputSchema),
    ...(title !== undefined && facts.toolTitle === 'title' ? { title } : {}),
    ...toolAnnotations(annotations, title, facts),
  };
  if (!outputSchema || facts.structuredContent === 'nothing') return known;
  if (!isWrapped(outputSchema)) return { ...known, outputSchema: plainProperties(outputSchema) };
  const wrapped = { ...known, outputSchema: wrapSchema(outputSchema) };
  return facts.itemMeta ? addMarker(wrapped, WRAPPED_RESULT, true) : wrapped;
}

function toolAnnotations(annotations: ToolAnnotations | undefined, title: string | undefined, facts: RevisionFeatures) {
  if (!facts.toolAnnotations) return {};
  if (title !== undefined && facts.toolTitle === 'annotations') return { annotations: { ...annotations, title } };
  return annotations ? { annotations } : {};
}

function encodePrompt(prompt: Prompt, facts: RevisionFeatures): object {
  const known = common(prompt, facts);
  const bare = facts.titles ? known : without(known, 'title');
  if (!bare.arguments || facts.titles) return bare;
  return { ...bare, arguments: bare.arguments.map((argument) => without(argument, 'title')) };
}

function encodeResource(resource: Resource | ResourceTemplate, facts: RevisionFeatures): object {
  const known = common(resource, facts);
  const bare = facts.titles ? known : without(known, 'title');
  return bare.annotations ? { ...bare, annotations: encodeAnnotations(bare.annotations as Annotations, facts) } : bare;
}

function common<T extends object>(item: T, facts: RevisionFeatures): T {
  const timely = facts.execution ? item : without(item, 'execution');
  const known = facts.icons ? timely : without(timely, 'icons');
  return facts.itemMeta ? known : without(known, '_meta');
}
