/** Input schemas that name arguments HTTP is to repeat as header fields. Few do, and what reads that is loaded then. */

import { type Later, later } from '../jsonrpc/later.ts';
import type { CheckedSchema } from '../schema/checked.ts';
import type { Checked } from '../schema/problems.ts';
import { isPromise, type Maybe } from './maybe.ts';

/** What reads the annotations. */
export const reader: Later<typeof import('../protocol/param-headers.ts')> = later(
  () => import('../protocol/param-headers.ts'),
);

/** The schema, whose annotations are held to their rules as well: no check comes before that. */
export function annotated(schema: CheckedSchema, where: string): CheckedSchema {
  const { jsonSchema } = schema;
  if (!JSON.stringify(jsonSchema).includes('"x-mcp-header"')) return schema;
  const read = (): Maybe<void> =>
    reader.use(({ paramHeaders }) => {
      const found = paramHeaders(jsonSchema);
      if ('fault' in found) throw new TypeError(`${where}: ${found.fault}`);
    });
  const reading = read();
  if (!isPromise(reading)) return schema;
  const passed = Promise.all([schema.passed, reading]);
  const checked = {
    jsonSchema,
    passed,
    check: async (value: unknown): Promise<Checked> => {
      await read();
      return schema.check(value);
    },
  };
  passed.then(
    () => Object.assign(checked, schema),
    () => {},
  );
  return checked;
}
