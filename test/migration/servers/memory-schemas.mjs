/** The schemas of the memory server, as its author wrote them for either version. */

import { z } from 'zod';

export const Entity = z.object({
  name: z.string().min(1).describe('The name of the entity'),
  entityType: z.string().describe('The type of the entity'),
  observations: z.array(z.string()).describe('Observations about the entity'),
});

export const Relation = z.object({
  from: z.string().describe('The name of the entity where the relation starts'),
  to: z.string().describe('The name of the entity where the relation ends'),
  relationType: z.string().describe('The type of the relation, in active voice'),
});

export const Observations = z.object({
  entityName: z.string().describe('The name of the entity to add the observations to'),
  contents: z.array(z.string()).describe('The observations to add'),
});

export const Deletion = z.object({
  entityName: z.string().describe('The name of the entity with the observations'),
  observations: z.array(z.string()).describe('The observations to delete'),
});
