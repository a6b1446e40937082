/** A memory server on version 1 of the official SDK: a knowledge graph in the file that MEMORY_FILE_PATH names. */

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { KnowledgeGraph } from './knowledge-graph.mjs';
import { Deletion, Entity, Observations, Relation } from './memory-schemas.mjs';

const graph = new KnowledgeGraph(process.env.MEMORY_FILE_PATH);
const server = new McpServer({ name: 'memory-server', version: '0.6.3' });

const structured = (value) => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
});
const done = (message) => ({
  content: [{ type: 'text', text: message }],
  structuredContent: { success: true, message },
});
const graphOutput = { entities: z.array(Entity), relations: z.array(Relation) };
const doneOutput = { success: z.boolean(), message: z.string() };

server.registerTool(
  'create_entities',
  {
    title: 'Create Entities',
    description: 'Create multiple new entities in the knowledge graph',
    inputSchema: { entities: z.array(Entity) },
    outputSchema: { entities: z.array(Entity) },
  },
  async ({ entities }) => structured({ entities: graph.createEntities(entities) }),
);

server.registerTool(
  'create_relations',
  {
    title: 'Create Relations',
    description: 'Create multiple new relations between entities in the knowledge graph',
    inputSchema: { relations: z.array(Relation) },
    outputSchema: { relations: z.array(Relation) },
  },
  async ({ relations }) => structured({ relations: graph.createRelations(relations) }),
);

server.registerTool(
  'add_observations',
  {
    title: 'Add Observations',
    description: 'Add new observations to existing entities in the knowledge graph',
    inputSchema: { observations: z.array(Observations) },
    outputSchema: {
      results: z.array(z.object({ entityName: z.string(), addedObservations: z.array(z.string()) })),
    },
  },
  async ({ observations }) => structured({ results: graph.addObservations(observations) }),
);

server.registerTool(
  'delete_entities',
  {
    title: 'Delete Entities',
    description: 'Delete multiple entities and their associated relations from the knowledge graph',
    inputSchema: { entityNames: z.array(z.string()).describe('The names of the entities to delete') },
    outputSchema: doneOutput,
    annotations: { destructiveHint: true, idempotentHint: true },
  },
  async ({ entityNames }) => {
    graph.deleteEntities(entityNames);
    return done('Entities deleted successfully');
  },
);

server.registerTool(
  'delete_observations',
  {
    title: 'Delete Observations',
    description: 'Delete specific observations from entities in the knowledge graph',
    inputSchema: { deletions: z.array(Deletion) },
    outputSchema: doneOutput,
    annotations: { destructiveHint: true, idempotentHint: true },
  },
  async ({ deletions }) => {
    graph.deleteObservations(deletions);
    return done('Observations deleted successfully');
  },
);

server.registerTool(
  'delete_relations',
  {
    title: 'Delete Relations',
    description: 'Delete multiple relations from the knowledge graph',
    inputSchema: { relations: z.array(Relation).describe('The relations to delete') },
    outputSchema: doneOutput,
    annotations: { destructiveHint: true, idempotentHint: true },
  },
  async ({ relations }) => {
    graph.deleteRelations(relations);
    return done('Relations deleted successfully');
  },
);

server.registerTool(
  'read_graph',
  {
    title: 'Read Graph',
    description: 'Read the entire knowledge graph',
    inputSchema: {},
    outputSchema: graphOutput,
    annotations: { readOnlyHint: true },
  },
  async () => structured(graph.read()),
);

server.registerTool(
  'search_nodes',
  {
    title: 'Search Nodes',
    description: 'Search for nodes in the knowledge graph based on a query',
    inputSchema: { query: z.string().describe('Matches names, types and observations of entities') },
    outputSchema: graphOutput,
    annotations: { readOnlyHint: true },
  },
  async ({ query }) => structured(graph.search(query)),
);

server.registerTool(
  'open_nodes',
  {
    title: 'Open Nodes',
    description: 'Open specific nodes in the knowledge graph by their names',
    inputSchema: { names: z.array(z.string()).describe('The names of the entities to retrieve') },
    outputSchema: graphOutput,
    annotations: { readOnlyHint: true },
  },
  async ({ names }) => structured(graph.open(names)),
);

await server.connect(new StdioServerTransport());
