/** The published schemas leave the envelope of 2026-07-28 to their SDK: it is put around them here. */

import * as core from '@modelcontextprotocol/core';
import { z } from 'zod';
import type { Checkable } from './published.ts';

const requestMeta = z.looseObject({
  'io.modelcontextprotocol/protocolVersion': z.string(),
  'io.modelcontextprotocol/clientCapabilities': core.ClientCapabilitiesSchema,
  'io.modelcontextprotocol/clientInfo': core.ImplementationSchema.optional(),
  'io.modelcontextprotocol/logLevel': core.LoggingLevelSchema.optional(),
  progressToken: core.ProgressTokenSchema.optional(),
});

const answer = z.union([core.CreateMessageResultWithToolsSchema, core.ListRootsResultSchema, core.ElicitResultSchema]);

// Around every request, whatever else it holds.
const request = z.looseObject({
  params: z.looseObject({
    _meta: requestMeta,
    inputResponses: z.record(z.string(), answer).optional(),
    requestState: z.string().optional(),
  }),
});

const result = z.looseObject({
  resultType: z.string(),
  _meta: z.looseObject({ 'io.modelcontextprotocol/serverInfo': core.ImplementationSchema.optional() }).optional(),
});

const cacheable = result.extend({
  ttlMs: z.number().int().min(0),
  cacheScope: z.enum(['public', 'private']),
});

const subscription = z.looseObject({
  params: z
    .looseObject({
      _meta: z.looseObject({ 'io.modelcontextprotocol/subscriptionId': core.RequestIdSchema.optional() }).optional(),
    })
    .optional(),
});

const question = z.looseObject({
  method: z.literal('elicitation/create'),
  params: z.union([
    core.ElicitRequestFormParamsSchema,
    core.ElicitRequestURLParamsSchema.omit({ elicitationId: true }),
  ]),
});

const inputRequired = result.extend({
  inputRequests: z
    .record(z.string(), z.union([question, core.CreateMessageRequestSchema, core.ListRootsRequestSchema]))
    .optional(),
  requestState: z.string().optional(),
});

// Not an intersection: those also have to agree on what they make of the value.
function all(...schemas: readonly z.ZodType[]): Checkable {
  return {
    safeParse: (value) => schemas.map((one) => one.safeParse(value)).find((one) => !one.success) ?? { success: true },
  };
}

function errorOf(code: number, data: z.ZodType): Checkable {
  return z.looseObject({ error: z.looseObject({ code: z.literal(code), message: z.string(), data }) });
}

const CACHEABLE: ReadonlySet<string> = new Set([
  'DiscoverResult',
  'ListToolsResult',
  'ListPromptsResult',
  'ListResourcesResult',
  'ListResourceTemplatesResult',
  'ReadResourceResult',
]);

const ANSWERS: ReadonlySet<string> = new Set(['CreateMessageResult', 'ListRootsResult', 'ElicitResult']);

// Where the published schema is absent, or says less or other than the revision.
const OWN: ReadonlyMap<string, Checkable> = new Map<string, Checkable>([
  ['ElicitRequest', question],
  ['InputRequiredResult', inputRequired],
  ['CreateMessageResult', core.CreateMessageResultWithToolsSchema],
  ['CallToolResult', all(result, core.CallToolResultSchema.extend({ content: z.array(core.ContentBlockSchema) }))],
  [
    'CancelledNotification',
    core.CancelledNotificationSchema.extend({
      params: core.CancelledNotificationParamsSchema.required({ requestId: true }),
    }),
  ],
  ['HeaderMismatchError', errorOf(-32020, z.unknown().optional())],
  [
    'MissingRequiredClientCapabilityError',
    errorOf(-32021, z.looseObject({ requiredCapabilities: core.ClientCapabilitiesSchema })),
  ],
  [
    'UnsupportedProtocolVersionError',
    errorOf(-32022, z.looseObject({ supported: z.array(z.string()), requested: z.string() })),
  ],
]);

/** The schema of this definition. */
export function statelessSchema(definition: string): Checkable | undefined {
  const own = OWN.get(definition);
  if (own) return own;
  const published = (core as unknown as Readonly<Record<string, z.ZodType>>)[`${definition}Schema`];
  if (!published) return undefined;
  if (CACHEABLE.has(definition)) return all(cacheable, published);
  if (definition.startsWith('JSONRPC') || ANSWERS.has(definition)) return published;
  if (definition === 'CreateMessageRequest' || definition === 'ListRootsRequest') return published;
  if (definition.endsWith('Request')) return all(request, published);
  if (definition.endsWith('Result')) return all(result, published);
  return all(subscription, published);
}
