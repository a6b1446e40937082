/** The way to what decides which changes of resources a viewer must not hear of. */

import { type Later, later } from '../jsonrpc/later.ts';

/** Loaded before a server is served. */
export const hiding: Later<typeof import('./hidden.ts')> = later(() => import('./hidden.ts'));
