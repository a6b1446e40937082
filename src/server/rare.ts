/** What most servers never need, in one piece. Nothing but `rarely.ts` imports this. */

import { OutgoingRequests } from '../jsonrpc/outgoing.ts';
import { complete } from './completion.ts';
import { runApart, runUntilHandOff } from './hand-off.ts';
import { pagesOf } from './pages.ts';
import { getPrompt } from './prompt-get.ts';
import { resourceAt } from './resource-at.ts';
import { readResource } from './resource-read.ts';
import { finishRounds, resume } from './rounds-asked.ts';
import { listWithTemplates } from './template-list.ts';

/** All of it. */
export const rare: {
  /** Methods of features that are not tools. */
  readonly complete: typeof complete;
  readonly getPrompt: typeof getPrompt;
  readonly readResource: typeof readResource;
  readonly resourceAt: typeof resourceAt;
  /** Handlers that ask their client. */
  readonly finishRounds: typeof finishRounds;
  readonly resume: typeof resume;
  /** Lists of resources that templates add to. */
  readonly listWithTemplates: typeof listWithTemplates;
  /** Lists of more than one page. */
  readonly pagesOf: typeof pagesOf;
  /** Calls that extensions take over. */
  readonly runApart: typeof runApart;
  readonly runUntilHandOff: typeof runUntilHandOff;
  /** Requests of the server's own. */
  readonly OutgoingRequests: typeof OutgoingRequests;
} = {
  complete,
  getPrompt,
  readResource,
  resourceAt,
  listWithTemplates,
  pagesOf,
  finishRounds,
  resume,
  runApart,
  runUntilHandOff,
  OutgoingRequests,
};
