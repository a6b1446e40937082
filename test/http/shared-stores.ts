/** Nodes that share stores but no objects: everything goes through JSON, and every store takes its time. */

import { setImmediate } from 'node:timers/promises';
import type { HttpOptions } from 'mcpp/http';
import type { ServerEvent } from 'mcpp/server';
import { type ChangeBus, memoryChangeBus } from '../../src/store/change-bus.ts';
import { type EventStore, memoryEventStore } from '../../src/store/event-store.ts';
import { memorySessionBus, type SessionBus } from '../../src/store/session-bus.ts';
import type { SessionStore } from '../../src/store/session-store.ts';
import { memorySessionStore } from '../../src/store/session-store.ts';
import type { SessionMessage, SessionRecord } from '../../src/transport/http/server/options.ts';
import { type Asked, type Face, node, type Reached } from './faces.ts';
import type { Headers } from './messages.ts';
import { makeStage, type Stage } from './stage.ts';

/** The connection of one node to what all share. */
export interface Network {
  /** What was asked of the stores, by name. */
  readonly calls: string[];
  /** Set: the node is gone, and nothing it does reaches anybody. */
  isDead: boolean;
  /** Names of methods that fail. */
  readonly failing: Set<string>;
  /** What results of methods wait for, by name. */
  readonly held: Map<string, Promise<void>>;
  /** Ends the node's subscription to the bus. */
  stop(): void;
}

/** One node, and what happens on it. */
export interface Node {
  readonly stage: Stage;
  readonly reached: Reached;
  readonly network: Network;
}

/** A copy by way of JSON; functions are called with copies. */
function copied(value: unknown): unknown {
  if (typeof value === 'function') return (...args: unknown[]) => copied(value(...args.map(copied)));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copied);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, copied(member)]));
}

/** A store on the other side of a network. */
function distant<T extends object>(store: T, network: Network): T {
  return new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as ((...args: unknown[]) => unknown) | undefined;
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        network.calls.push(String(name));
        await setImmediate();
        if (network.isDead) return new Promise(() => {});
        if (network.failing.has(String(name))) {
          await network.held.get(String(name));
          throw new Error(`${String(name)} failed: redis://secret`);
        }
        const result = await method.apply(target, args.map(copied));
        if (name === 'listen') network.stop = result as () => void;
        await (network.held.get(String(name)) ?? setImmediate());
        return copied(result);
      };
    },
  });
}

/** What the nodes share. */
export interface SharedStores {
  readonly store: SessionStore<SessionRecord>;
  readonly events: EventStore;
  readonly bus: SessionBus<SessionMessage>;
}

/** Stores in memory, for nodes that reach them through `distant`. */
export function stores(): SharedStores {
  return { store: memorySessionStore(), events: memoryEventStore(), bus: memorySessionBus() };
}

/** Starts a node. */
export async function startNode(
  shared: SharedStores,
  options: HttpOptions = {},
  changes: ChangeBus<ServerEvent> = memoryChangeBus(),
  { resources = ['x:/a', 'x:/b'], face = node }: { resources?: readonly string[]; face?: Face } = {},
): Promise<Node> {
  const network: Network = { calls: [], isDead: false, failing: new Set(), held: new Map(), stop: () => {} };
  const stage = makeStage({ changes });
  stage.server.registerTool('ask', {}, async (_, ctx) => {
    return (await ctx.elicit('Sure?', { type: 'object', properties: {} })).action;
  });
  for (const uri of resources) stage.server.registerResource(uri, {}, () => '');
  const sessions = {
    store: distant(shared.store, network),
    events: distant(shared.events, network),
    bus: distant(shared.bus, network),
  };
  return { stage, network, reached: await face.open(stage.server, { sessions, ...options }) };
}

/** Opens the GET stream of a session, or resumes a stream. */
export function listenAt({ reached }: Node, headers: Headers, last?: string): Asked {
  const fields = { ...headers, accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) };
  return reached.ask({ method: 'GET', headers: fields });
}

/** A request. */
export function request(id: number, method: string, params: object = {}): object {
  return { jsonrpc: '2.0', id, method, params };
}

/** The node is gone without a word: its process was killed. */
export function kill({ network }: Node): void {
  network.isDead = true;
  network.stop();
}

/** Lets everything under way arrive. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}
