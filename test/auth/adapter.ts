/** What an authorization server remembers, in memory: its provider asks for one adapter per kind of thing. */

import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

/** Everything one authorization server remembers, by kind and id. */
export class Memory {
  readonly #kinds = new Map<string, Map<string, AdapterPayload>>();

  /** For the provider's option `adapter`. */
  readonly adapter: AdapterFactory = (kind) => adapterOf(this.of(kind), this.#kinds);

  /** Things of one kind, such as `RefreshToken`. */
  of(kind: string): Map<string, AdapterPayload> {
    const known = this.#kinds.get(kind) ?? new Map<string, AdapterPayload>();
    this.#kinds.set(kind, known);
    return known;
  }
}

function adapterOf(things: Map<string, AdapterPayload>, kinds: Map<string, Map<string, AdapterPayload>>): Adapter {
  const first = (key: 'uid' | 'userCode', value: string): AdapterPayload | undefined =>
    [...things.values()].find((thing) => thing[key] === value);
  return {
    async upsert(id, payload) {
      things.set(id, payload);
    },
    async find(id) {
      return things.get(id);
    },
    async findByUid(uid) {
      return first('uid', uid);
    },
    async findByUserCode(code) {
      return first('userCode', code);
    },
    async consume(id) {
      const thing = things.get(id);
      if (thing) thing.consumed = Math.floor(Date.now() / 1000);
    },
    async destroy(id) {
      things.delete(id);
    },
    async revokeByGrantId(grantId) {
      for (const kind of kinds.values()) {
        for (const [id, thing] of kind) if (thing.grantId === grantId) kind.delete(id);
      }
    },
  };
}
