/** Definitions from the specification's own JSON Schema files, where they lie beside the repository. */

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type Definitions, isRecord, isUpTo, SCHEMA_REVISIONS, type SchemaRevision } from './definitions.ts';

const folder = new URL('../../../shared/schemas/', import.meta.url);
const UNIONS = { client: 'Client', server: 'Server' } as const;
const KINDS = { request: 'Request', notification: 'Notification' } as const;

/** The definitions, or nothing in a clone without the files. */
export function schemaDefinitions(): Definitions | undefined {
  if (!SCHEMA_REVISIONS.every((revision) => existsSync(fileOf(revision)))) return undefined;
  const documents = new Map<SchemaRevision, Document>();
  const documentOf = (revision: SchemaRevision): Document => {
    const document = documents.get(revision) ?? new Document(revision);
    documents.set(revision, document);
    return document;
  };
  return {
    name: 'specification',
    definitionOf: (revision, from, kind, method) =>
      documentOf(revision).union(`${UNIONS[from]}${KINDS[kind]}`).get(method),
    fault: (revision, definition, value) => documentOf(revision).fault(definition, value),
  };
}

function fileOf(revision: SchemaRevision): string {
  return fileURLToPath(new URL(`${revision}.json`, folder));
}

class Document {
  readonly #ajv: Ajv;
  readonly #root: string;
  readonly #definitions: Record<string, unknown>;
  readonly #checks = new Map<string, ValidateFunction>();
  readonly #unions = new Map<string, ReadonlyMap<string, string>>();

  constructor(revision: SchemaRevision) {
    const document = JSON.parse(readFileSync(fileOf(revision), 'utf8')) as Record<string, Record<string, unknown>>;
    const isOld = isUpTo(revision, '2025-06-18');
    this.#root = isOld ? 'definitions' : '$defs';
    this.#definitions = document[this.#root] ?? {};
    this.#ajv = isOld ? new Ajv({ strict: false }) : new Ajv2020({ strict: false });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, 'mcp');
  }

  fault(definition: string, value: unknown): string | undefined {
    if (!(definition in this.#definitions)) return `there is no definition ${definition}`;
    const check = this.#checks.get(definition) ?? this.#ajv.compile({ $ref: `mcp#/${this.#root}/${definition}` });
    this.#checks.set(definition, check);
    return check(value) ? undefined : `${definition}: ${this.#ajv.errorsText(check.errors, { dataVar: 'message' })}`;
  }

  /** The methods of a union such as `ClientRequest`, with the definition of each. */
  union(name: string): ReadonlyMap<string, string> {
    const known = this.#unions.get(name);
    if (known) return known;
    const members = this.#members(name);
    const methods = new Map(members.flatMap((member) => this.#method(member).map((method) => [method, member])));
    this.#unions.set(name, methods);
    return methods;
  }

  // A union of one member is written out in its place; the member itself is then found by its method.
  #members(name: string): string[] {
    const union = this.#definitions[name];
    if (!isRecord(union)) return [];
    if (Array.isArray(union['anyOf'])) return union['anyOf'].map((one) => String(one.$ref).split('/').at(-1) ?? '');
    const [method] = this.#method(name);
    return Object.keys(this.#definitions).filter((other) => other !== name && this.#method(other)[0] === method);
  }

  #method(definition: string): string[] {
    const schema = this.#definitions[definition];
    const properties = isRecord(schema) ? schema['properties'] : undefined;
    const method = isRecord(properties) ? properties['method'] : undefined;
    return isRecord(method) && typeof method['const'] === 'string' ? [method['const']] : [];
  }
}
