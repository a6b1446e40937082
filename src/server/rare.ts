/** What most servers never need, in one piece. Nothing but `rarely.ts` imports this. */

import { OutgoingRequests } from '../jsonrpc/outgoing.ts';
import { complete } from './completion.ts';
import { runApart, runUntilHandOff } from './hand-off.ts';
import { isHiddenFrom } from './hidden.ts';
import { connectWithin } from './in-process.ts';
import { getPrompt } from './prompt-get.ts';
import { readResource } from './resource-read.ts';
import { finishRounds, resume } from './rounds-asked.ts';
import { serveAnybody } from './serve-anybody.ts';

/** All of it. */
export const rare: {
  /** Methods of features that are not tools. */
  readonly complete: typeof complete;
  readonly getPrompt: typeof getPrompt;
  readonly readResource: typeof readResource;
  /** Handlers that ask their client. */
  readonly finishRounds: typeof finishRounds;
  readonly resume: typeof resume;
  /** Calls that extensions take over. */
  readonly runApart: typeof runApart;
  readonly runUntilHandOff: typeof runUntilHandOff;
  /** Requests of the server's own. */
  readonly OutgoingRequests: typeof OutgoingRequests;
  /** Changes of resources that not everybody may know of. */
  readonly isHiddenFrom: typeof isHiddenFrom;
  /** Connections of others than the owner of this process. */
  readonly serveAnybody: typeof serveAnybody;
  /** Connections within the process. */
  readonly connectWithin: typeof connectWithin;
} = {
  complete,
  getPrompt,
  readResource,
  finishRounds,
  resume,
  runApart,
  runUntilHandOff,
  OutgoingRequests,
  serveAnybody,
  connectWithin,
  isHiddenFrom,
};
