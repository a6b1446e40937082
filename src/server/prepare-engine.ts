/** Loads the engine that checks values by raw schemas before a form of a handler needs it. */

import { engine } from '../schema/checked.ts';
import type { Served } from './served.ts';

/** As part of a server's preparation: what serves HTTP waits for it. Raw schemas that are registered load it in any case. */
export function prepareEngine(server: Served): void {
  const { preparation, report } = server['~parts'];
  const loading = engine.load();
  if (loading) preparation.add(loading, (error) => report(error, { method: 'serve' }));
}

/** When the server has been started and its client is served, so that neither waits for it. The first use reports a failure. */
export function loadEngine(): void {
  engine.load()?.catch(() => {});
}
