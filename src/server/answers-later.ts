/** Answers that many servers never give: what makes them is loaded when a client first asks. */

import { type Later, later } from '../jsonrpc/later.ts';

/** `completion/complete`. */
export const completion: Later<typeof import('./completion.ts')> = later(() => import('./completion.ts'));
/** `prompts/get`. */
export const promptGet: Later<typeof import('./prompt-get.ts')> = later(() => import('./prompt-get.ts'));
/** `resources/read`. */
export const resourceRead: Later<typeof import('./resource-read.ts')> = later(() => import('./resource-read.ts'));
