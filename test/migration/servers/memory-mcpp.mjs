/** The memory server of memory-sdk-v1.mjs on this package. */

import { McpServer, text } from 'mcpp/server';
import { serveStdio } from 'mcpp/stdio';
import { z } from 'zod';
import { KnowledgeGraph } from './knowledge-graph.mjs';
import { Deletion, Entity, Observations, Relation } from './memory-schemas.mjs';

const graph = new KnowledgeGraph(process.env.MEMORY_FILE_PATH);
const graphOutput = z.object({ entities: z.array(Entity), relations: z.array(Relation) });
const doneOutput = z.object({ success: z.boolean(), message: z.string() });
const done = (message) => ({ content: [text(message)], structuredContent: { success: true, message } });

const server = new McpServer({ name: 'memory-server', version: '0.6.3' }, { errors: 'messages' })
  .registerTool(
    'create_entities',
    {
      title: 'Create Entities',
      description: 'Create multiple new entities in the knowledge graph',
      inputSchema: z.object({ entities: z.array(Entity) }),
      outputSchema: z.object({ entities: z.array(Entity) }),
    },
    ({ entities }) => ({ entities: graph.createEntities(entities) }),
  )
  .registerTool(
    'create_relations',
    {
      title: 'Create Relations',
      description: 'Create multiple new relations between entities in the knowledge graph',
      inputSchema: z.object({ relations: z.array(Relation) }),
      outputSchema: z.object({ relations: z.array(Relation) }),
    },
    ({ relations }) => ({ relations: graph.createRelations(relations) }),
  )
  .registerTool(
    'add_observations',
    {
      title: 'Add Observations',
      description: 'Add new observations to existing entities in the knowledge graph',
      inputSchema: z.object({ observations: z.array(Observations) }),
      outputSchema: z.object({
        results: z.array(z.object({ entityName: z.string(), addedObservations: z.array(z.string()) })),
      }),
    },
    ({ observations }) => ({ results: graph.addObservations(observations) }),
  )
  .registerTool(
    'delete_entities',
    {
      title: 'Delete Entities',
      description: 'Delete multiple entities and their associated relations from the knowledge graph',
      inputSchema: z.object({ entityNames: z.array(z.string()).describe('The names of the entities to delete') }),
      outputSchema: doneOutput,
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    ({ entityNames }) => {
      graph.deleteEntities(entityNames);
      return done('Entities deleted successfully');
    },
  )
  .registerTool(
    'delete_observations',
    {
      title: 'Delete Observations',
      description: 'Delete specific observations from entities in the knowledge graph',
      inputSchema: z.object({ deletions: z.array(Deletion) }),
      outputSchema: doneOutput,
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    ({ deletions }) => {
      graph.deleteObservations(deletions);
      return done('Observations deleted successfully');
    },
  )
  .registerTool(
    'delete_relations',
    {
      title: 'Delete Relations',
      description: 'Delete multiple relations from the knowledge graph',
      inputSchema: z.object({ relations: z.array(Relation).describe('The relations to delete') }),
      outputSchema: doneOutput,
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    ({ relations }) => {
      graph.deleteRelations(relations);
      return done('Relations deleted successfully');
    },
  )
  .registerTool(
    'read_graph',
    {
      title: 'Read Graph',
      description: 'Read the entire knowledge graph',
      outputSchema: graphOutput,
      annotations: { readOnlyHint: true },
    },
    () => graph.read(),
  )
  .registerTool(
    'search_nodes',
    {
      title: 'Search Nodes',
      description: 'Search for nodes in the knowledge graph based on a query',
      inputSchema: z.object({ query: z.string().describe('Matches names, types and observations of entities') }),
      outputSchema: graphOutput,
      annotations: { readOnlyHint: true },
    },
    ({ query }) => graph.search(query),
  )
  .registerTool(
    'open_nodes',
    {
      title: 'Open Nodes',
      description: 'Open specific nodes in the knowledge graph by their names',
      inputSchema: z.object({ names: z.array(z.string()).describe('The names of the entities to retrieve') }),
      outputSchema: graphOutput,
      annotations: { readOnlyHint: true },
    },
    ({ names }) => graph.open(names),
  );

await serveStdio(server);
