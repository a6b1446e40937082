/** What a transcript can have the client's code do, by the names of the public methods. */

import { type Params, RpcError } from 'mcpp';
import type { AnswerHandlers, Connection, QuestionContext, RequestOptions } from 'mcpp/client';
import { isRecord } from '../oracle/definitions.ts';

/** What the client's code is told beside the results of its calls. */
export type Tell = (kind: 'progress' | 'log' | 'change' | 'notification' | 'error', what: unknown) => void;

/** What a call gets beside its arguments. */
export interface Around {
  /** Goes into the options of every call. */
  readonly options: RequestOptions;
  readonly tell: Tell;
  /** How to end each watch. */
  readonly stops: Map<string, () => Promise<void>>;
}

/** Arguments of a call; what they are is the method's business. */
export type Args = readonly [never, never, never, never];

/** Does it, and gives what it gives. */
export type Call = (connection: Connection, args: Args, around: Around) => unknown;

const MANY = Number.POSITIVE_INFINITY;

/** The calls, by name. Their arguments are those of the methods, without functions and signals. */
export const CALLS: ReadonlyMap<string, Call> = new Map<string, Call>([
  ['callTool', (one, [name, args, more], around) => one.callTool(name as string, args, options(more, around))],
  ['tools', (one, [most, more], around) => some(one.tools(options(more, around)), most)],
  ['listTools', (one, [more], around) => one.listTools(options(more, around))],
  ['resources', (one, [most, more], around) => some(one.resources(options(more, around)), most)],
  ['listResources', (one, [more], around) => one.listResources(options(more, around))],
  ['resourceTemplates', (one, [most, more], around) => some(one.resourceTemplates(options(more, around)), most)],
  ['listResourceTemplates', (one, [more], around) => one.listResourceTemplates(options(more, around))],
  ['readResource', (one, [uri, more], around) => one.readResource(uri, options(more, around))],
  ['prompts', (one, [most, more], around) => some(one.prompts(options(more, around)), most)],
  ['listPrompts', (one, [more], around) => one.listPrompts(options(more, around))],
  ['getPrompt', (one, [name, args, more], around) => one.getPrompt(name, args, options(more, around))],
  [
    'complete',
    (one, [ref, argument, others, more], around) => one.complete(ref, argument, others, options(more, around)),
  ],
  ['ping', (one, [more], around) => one.ping(options(more, around))],
  ['setLogLevel', (one, [level]) => one.setLogLevel(level)],
  ['setRoots', (one, [roots]) => one.setRoots(roots)],
  ['watch', watch],
  ['unwatch', (_one, [what], around) => around.stops.get(what)?.()],
  ['request', (one, [method, params, more], around) => one.request(method, params, options(more, around))],
  ['notify', (one, [method, params]) => one.notify(method, params)],
  ['start', (one, [method, params, more], around) => one.start(method, params, options(more, around))],
  ['resume', (one, [pending, answers, more], around) => one.resume(pending, answers, options(more, around))],
  ['close', (one) => one.close()],
]);

function options(given: unknown, around: Around): RequestOptions {
  return { ...(isRecord(given) ? given : {}), ...around.options };
}

// A number takes only so many: what follows is not asked for.
async function some(items: AsyncIterable<unknown>, most: number = MANY): Promise<unknown[]> {
  const taken: unknown[] = [];
  for await (const item of items) if (taken.push(item) >= most) break;
  return taken;
}

async function watch(connection: Connection, [what]: Args, { tell, stops }: Around): Promise<void> {
  stops.set(what, await connection.watch(what, (event) => tell('change', event)));
}

type Handler = (params: Params, ctx: QuestionContext) => unknown;

/** Handlers that give what a transcript says: those of the three questions, and those of methods of one's own. */
export function handlersOf(answers: Readonly<Record<string, unknown>>): {
  readonly questions: AnswerHandlers;
  readonly own: ReadonlyMap<string, Handler>;
} {
  const all = Object.entries(answers).map(([name, answer]) => [name, handlerOf(answer)] as const);
  return {
    questions: Object.fromEntries(
      all
        .filter(([name]) => !name.includes('/'))
        .map(([name, handler]) => [
          name,
          name === 'onListRoots' ? (ctx: QuestionContext) => handler({}, ctx) : handler,
        ]),
    ),
    own: new Map(all.filter(([name]) => name.includes('/'))),
  };
}

// Several answers are given one after the other.
function handlerOf(answer: unknown): Handler {
  const answers = Array.isArray(answer) ? [...answer] : undefined;
  return (_params, { signal }) => {
    const given: unknown = answers ? answers.shift() : answer;
    if (given === 'waits') return waits(signal);
    if (isRecord(given) && isRecord(given['throws'])) throw thrown(given['throws']);
    return structuredClone(given);
  };
}

function thrown({ code, message }: Record<string, unknown>): Error {
  return typeof code === 'number' ? new RpcError(code, String(message)) : new Error(String(message));
}

// A person who never answers, but sees when nobody asks any more.
function waits(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('Nobody asks any more')), { once: true });
  });
}
