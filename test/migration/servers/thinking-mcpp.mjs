/** The sequential thinking server of thinking-sdk-v1.mjs on this package. */

import { McpServer, ToolError, text } from 'mcpp/server';
import { serveStdio } from 'mcpp/stdio';
import { z } from 'zod';
import { DESCRIPTION, flag, Thoughts } from './thoughts.mjs';

const thoughts = new Thoughts();
const server = new McpServer(
  { name: 'sequential-thinking-server', version: '0.2.0' },
  { instructions: 'Use it for problems that take several steps.' },
).registerTool(
  'sequentialthinking',
  {
    title: 'Sequential Thinking',
    description: DESCRIPTION,
    inputSchema: z.object({
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
    }),
    outputSchema: z.object({
      thoughtNumber: z.number(),
      totalThoughts: z.number(),
      nextThoughtNeeded: z.boolean(),
      branches: z.array(z.string()),
      thoughtHistoryLength: z.number(),
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  ({ style, ...thought }) => {
    const status = added(thought);
    console.error(style === 'long' ? thought.thought : thought.thought.slice(0, 40));
    // The indented JSON is kept for clients that show the text; without it, "return status" would do.
    return { content: [text(JSON.stringify(status, null, 2))], structuredContent: status };
  },
);

function added(thought) {
  try {
    return thoughts.add(thought);
  } catch (error) {
    throw new ToolError(error.message);
  }
}

await serveStdio(server);
