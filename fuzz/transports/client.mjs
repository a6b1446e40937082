// The other direction: a broken server, and the client that talks to it.

import { CONTROL_CHARACTER } from '../control-characters.mjs';
import { REVISIONS } from '../corpus.mjs';
import { PlayedHttp } from '../played/http.mjs';
import { Script } from '../played/script.mjs';
import { PlayedProgram } from '../played/stdio.mjs';
import { Fault } from '../received.mjs';

const MAX_MESSAGE = 10_000;

/** A lane whose server is played over `over`: `stdio`, `http` or `websocket`. */
export function brokenServer(over) {
  let played;
  return {
    name: `client-${over}`,

    generate: (random) => ({
      revision: random.pick(REVISIONS),
      asked: random.pick(['auto', 'auto', 'legacy', 'same']),
      isEvents: random.chance(0.5),
      hasStream: random.chance(0.5),
      theme: random.weighted([
        [85, undefined],
        [13, 'schema'],
        [2, 'pages'],
      ]),
      seed: random.below(2 ** 31),
    }),

    async run(one, { child }) {
      played ??= await (over === 'stdio' ? new PlayedProgram() : new PlayedHttp()).listen();
      const script = new Script(one);
      Object.assign(played, { script, one });
      const target = played.target(over === 'websocket' ? 'ws' : 'http');
      const revision = one.asked === 'same' ? one.revision : one.asked;
      const calls = await child.ask('visit', { target, revision, isSlow: one.theme !== undefined });
      // The first run decides which replies are broken; other runs of the case break the same ones, or fewer.
      one.steps ??= script.broken;
      played.drop();
      for (const call of calls) check(call);
      return { bytes: script.bytes, requests: 0 };
    },

    /** Closes the played server, so that the process can end. */
    close: () => played?.close(),
  };
}

function check({ call, hung, error }) {
  if (hung) throw new Fault(`${call} did not settle`);
  if (!error) return;
  if (!error.isKnown)
    throw new Fault(`${call} rejected with ${error.name}, which is no error of the package`, error.stack);
  if (error.message.length > MAX_MESSAGE)
    throw new Fault(`${call} rejected with a message of ${error.message.length} characters`, error.message);
  if (CONTROL_CHARACTER.test(error.message))
    throw new Fault(`${call} rejected with control characters in its message`, JSON.stringify(error.message));
}
