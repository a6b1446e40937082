/** Tools that are about their input schemas. */

import type { McpServer } from 'mcpp/server';

/** Registers them. */
export function addSchemas(server: McpServer): void {
  // Clients see it as it stands here, keyword for keyword.
  const contact = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  } as const;
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Takes arguments described with much of JSON Schema 2020-12', inputSchema: contact },
    (args) => `Contact: ${JSON.stringify(args)}`,
  );

  // What is marked so is repeated in the header Mcp-Param-Region, where proxies can read it.
  const region = {
    type: 'object',
    properties: { region: { type: 'string', description: 'Where to run', 'x-mcp-header': 'Region' } },
  } as const;
  server.registerTool(
    'test_x_mcp_header',
    { description: 'Takes an argument that is sent as a header too', inputSchema: region },
    (args) => `Region: ${args.region ?? 'anywhere'}`,
  );
}
