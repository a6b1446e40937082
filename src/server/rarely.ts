/** What most servers never need, loaded together when the first of it is: see docs/decisions/loaded-later.md. */

import { type Later, later } from '../jsonrpc/later.ts';

type Rare = typeof import('./rare.ts')['rare'];

/** The way to it. */
export const rarely: Later<Rare> = later(() => import('./rare.ts').then(({ rare }) => rare));
