/** A sequential thinking server on version 1 of the official SDK. */

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { DESCRIPTION, flag, Thoughts } from './thoughts.mjs';

const thoughts = new Thoughts();
const server = new McpServer(
  { name: 'sequential-thinking-server', version: '0.2.0' },
  { instructions: 'Use it for problems that take several steps.' },
);

server.registerTool(
  'sequentialthinking',
  {
    title: 'Sequential Thinking',
    description: DESCRIPTION,
    inputSchema: {
      thought: z.string().describe('Your current thinking step'),
      nextThoughtNeeded: flag.describe('Whether another thought step is needed'),
      thoughtNumber: z.number().int().min(1).describe('Current thought number'),
      totalThoughts: z.number().int().min(1).describe('Estimated total thoughts needed'),
      isRevision: flag.optional().describe('Whether this revises previous thinking'),
      revisesThought: z.number().int().min(1).optional().describe('Which thought is being reconsidered'),
      branchFromThought: z.number().int().min(1).optional().describe('Branching point thought number'),
      branchId: z.string().optional().describe('Branch identifier'),
      needsMoreThoughts: flag.optional().describe('If more thoughts are needed'),
      style: z.enum(['short', 'long']).default('short').describe('How to write it down'),
    },
    outputSchema: {
      thoughtNumber: z.number(),
      totalThoughts: z.number(),
      nextThoughtNeeded: z.boolean(),
      branches: z.array(z.string()),
      thoughtHistoryLength: z.number(),
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  async ({ style, ...thought }) => {
    const status = thoughts.add(thought);
    console.error(style === 'long' ? thought.thought : thought.thought.slice(0, 40));
    return { content: [{ type: 'text', text: JSON.stringify(status, null, 2) }], structuredContent: status };
  },
);

await server.connect(new StdioServerTransport());
