/** A knowledge graph in a file of JSON lines. Both versions of the memory server use it. */

import { readFileSync, writeFileSync } from 'node:fs';

const sameRelation = (a, b) => a.from === b.from && a.to === b.to && a.relationType === b.relationType;

export class KnowledgeGraph {
  #file;

  constructor(file) {
    this.#file = file;
  }

  read() {
    const graph = { entities: [], relations: [] };
    for (const line of this.#lines()) {
      const { type, ...rest } = JSON.parse(line);
      (type === 'entity' ? graph.entities : graph.relations).push(rest);
    }
    return graph;
  }

  /** Adds the entities whose names are new, and returns those. */
  createEntities(entities) {
    const graph = this.read();
    const created = entities.filter(({ name }) => !graph.entities.some((entity) => entity.name === name));
    graph.entities.push(...created);
    this.#write(graph);
    return created;
  }

  /** Adds the relations that are new, and returns those. */
  createRelations(relations) {
    const graph = this.read();
    const created = relations.filter((relation) => !graph.relations.some((known) => sameRelation(known, relation)));
    graph.relations.push(...created);
    this.#write(graph);
    return created;
  }

  /** Adds observations to entities, and returns those that are new. Throws if an entity does not exist. */
  addObservations(observations) {
    const graph = this.read();
    const results = observations.map(({ entityName, contents }) => {
      const entity = graph.entities.find(({ name }) => name === entityName);
      if (!entity) throw new Error(`Entity with name ${entityName} not found`);
      const added = contents.filter((content) => !entity.observations.includes(content));
      entity.observations.push(...added);
      return { entityName, addedObservations: added };
    });
    this.#write(graph);
    return results;
  }

  /** Deletes entities and the relations from and to them. */
  deleteEntities(names) {
    const { entities, relations } = this.read();
    this.#write({
      entities: entities.filter(({ name }) => !names.includes(name)),
      relations: relations.filter(({ from, to }) => !names.includes(from) && !names.includes(to)),
    });
  }

  deleteObservations(deletions) {
    const graph = this.read();
    for (const { entityName, observations } of deletions) {
      const entity = graph.entities.find(({ name }) => name === entityName);
      if (entity) entity.observations = entity.observations.filter((one) => !observations.includes(one));
    }
    this.#write(graph);
  }

  deleteRelations(relations) {
    const graph = this.read();
    graph.relations = graph.relations.filter((known) => !relations.some((relation) => sameRelation(known, relation)));
    this.#write(graph);
  }

  /** Entities whose name, type or observations contain the text, and the relations from and to them. */
  search(query) {
    const wanted = query.toLowerCase();
    return this.#part(({ name, entityType, observations }) =>
      [name, entityType, ...observations].some((text) => text.toLowerCase().includes(wanted)),
    );
  }

  /** Entities by name, and the relations from and to them. */
  open(names) {
    return this.#part(({ name }) => names.includes(name));
  }

  #part(isWanted) {
    const { entities, relations } = this.read();
    const found = entities.filter(isWanted);
    const names = new Set(found.map(({ name }) => name));
    return { entities: found, relations: relations.filter(({ from, to }) => names.has(from) || names.has(to)) };
  }

  #lines() {
    try {
      return readFileSync(this.#file, 'utf8').split('\n').filter(Boolean);
    } catch (error) {
      if (error.code === 'ENOENT') return [];
      throw error;
    }
  }

  #write({ entities, relations }) {
    const lines = [
      ...entities.map((entity) => JSON.stringify({ type: 'entity', ...entity })),
      ...relations.map((relation) => JSON.stringify({ type: 'relation', ...relation })),
    ];
    writeFileSync(this.#file, lines.map((line) => `${line}\n`).join(''));
  }
}
