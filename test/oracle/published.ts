/** Definitions from the schemas the official SDKs publish: what there is in a clone without the specification's files. */

import * as sdk from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { type Definitions, isRecord, isUpTo, type SchemaRevision } from './definitions.ts';
import { publishedDefinition } from './published-methods.ts';
import { statelessSchema } from './published-stateless.ts';

/** The little of a schema that is needed here. */
export interface Checkable {
  safeParse(value: unknown): { success: boolean; error?: { message: string } | undefined };
}

/** The definitions of all revisions. */
export function publishedDefinitions(): Definitions {
  return {
    name: 'published',
    definitionOf: publishedDefinition,
    fault(revision, definition, value) {
      const schema = revision === '2026-07-28' ? statelessSchema(definition) : statefulSchema(definition);
      if (!schema) return `there is no definition ${definition}`;
      const { success, error } = schema.safeParse(value);
      if (!success) return `${definition}: ${error?.message}`;
      const unknown = revision === '2026-07-28' ? undefined : olderFault(revision, definition, value);
      return unknown && `${definition}: ${unknown}`;
    },
  };
}

const URL_REQUIRED = z.looseObject({
  error: z.looseObject({
    code: z.literal(-32042),
    message: z.string(),
    data: z.looseObject({ elicitations: z.array(sdk.ElicitRequestURLParamsSchema) }),
  }),
});

// Where the published name is another, or the published schema fills in what must be sent.
const STATEFUL: ReadonlyMap<string, Checkable> = new Map<string, Checkable>([
  ['JSONRPCResponse', sdk.JSONRPCResultResponseSchema],
  ['JSONRPCError', sdk.JSONRPCErrorResponseSchema.required({ id: true })],
  ['URLElicitationRequiredError', URL_REQUIRED],
  ['CallToolResult', sdk.CallToolResultSchema.extend({ content: z.array(sdk.ContentBlockSchema) })],
  ['CreateMessageResult', sdk.CreateMessageResultWithToolsSchema],
]);

function statefulSchema(definition: string): Checkable | undefined {
  const published: Readonly<Record<string, unknown>> = sdk;
  return STATEFUL.get(definition) ?? (published[`${definition}Schema`] as Checkable | undefined);
}

// The published schemas are those of 2025-11-25: what older clients and servers do not know is refused here.
function olderFault(revision: SchemaRevision, definition: string, value: unknown): string | undefined {
  if (!isUpTo(revision, '2025-06-18')) return undefined;
  const kinds = contentTypes(revision);
  const unknown = contentIn(definition, value).find((block) => !isRecord(block) || !kinds.has(block['type']));
  if (unknown !== undefined) return `content ${JSON.stringify(unknown).slice(0, 80)} is not known in ${revision}`;
  return definition === 'ElicitRequest' ? olderFormFault(value) : undefined;
}

function contentTypes(revision: SchemaRevision): ReadonlySet<unknown> {
  const types = ['text', 'image', 'resource'];
  if (!isUpTo(revision, '2024-11-05')) types.push('audio');
  if (!isUpTo(revision, '2025-03-26')) types.push('resource_link');
  return new Set(types);
}

/** Every block of content in a value; a list of blocks where one is wanted counts as one strange block. */
function contentIn(definition: string, value: unknown): unknown[] {
  if (!isRecord(value)) return [];
  const contentOf = (message: unknown): unknown => (isRecord(message) ? message['content'] : undefined);
  const messagesOf = (holder: unknown): unknown[] =>
    isRecord(holder) && Array.isArray(holder['messages']) ? holder['messages'].map(contentOf) : [];
  if (definition === 'CallToolResult') return Array.isArray(value['content']) ? value['content'] : [];
  if (definition === 'GetPromptResult') return messagesOf(value);
  if (definition === 'CreateMessageRequest') return messagesOf(value['params']);
  if (definition === 'CreateMessageResult') return [contentOf(value)];
  return [];
}

function olderFormFault(value: unknown): string | undefined {
  const params = isRecord(value) ? value['params'] : undefined;
  const form = isRecord(params) ? params['requestedSchema'] : undefined;
  if (!isRecord(form) || !isRecord(form['properties'])) return 'only forms are known in 2025-06-18';
  const isChoice = Object.values(form['properties']).some((field) => isRecord(field) && field['type'] === 'array');
  return isChoice ? 'a choice of several values is not known in 2025-06-18' : undefined;
}
