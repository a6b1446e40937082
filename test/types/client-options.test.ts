/** What a client's options, handlers and events look like to those who write them. */

import { expectTypeOf, test } from 'vitest';
import type {
  AnswerHandlers,
  CallState,
  ClientCall,
  ClientMiddleware,
  Connection,
  ConnectionOptions,
  ConnectionState,
  ConnectOptions,
  PendingCall,
  Progress,
  QuestionContext,
  RequestHandler,
  RequestOptions,
  ServerProfile,
  StateListener,
  WatchEvent,
  WatchListener,
} from '../../src/entries/client.ts';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitForm,
  ElicitFormParams,
  ElicitUrlParams,
  Implementation,
  InputRequest,
  InputResponse,
  ListRootsResult,
  Meta,
  Params,
} from '../../src/entries/mcpp.ts';

/** Whatever is in a type and cannot be in JSON. What is unknown is believed. */
type NotJson<T> = unknown extends T
  ? never
  : T extends string | number | boolean | null | undefined
    ? never
    : T extends bigint | symbol | Date | ((...args: never[]) => unknown)
      ? T
      : T extends readonly (infer Item)[]
        ? NotJson<Item>
        : { [Key in keyof T]-?: NotJson<T[Key]> }[keyof T];

test('a call has these options and no others', () => {
  expectTypeOf<Required<RequestOptions>>().toEqualTypeOf<{
    readonly timeout: number | undefined;
    readonly maxTimeout: number | undefined;
    readonly signal: AbortSignal | undefined;
    readonly onProgress: ((progress: Progress) => void) | undefined;
    readonly meta: Meta | undefined;
    readonly idempotent: boolean | undefined;
    readonly fresh: boolean | undefined;
    readonly headers: Readonly<Record<string, string>> | undefined;
  }>();
  expectTypeOf<{}>().toExtend<RequestOptions>();
  const told: RequestOptions = {
    onProgress: ({ progress, total, message }) => {
      expectTypeOf(progress).toBeNumber();
      expectTypeOf(total).toEqualTypeOf<number | undefined>();
      expectTypeOf(message).toEqualTypeOf<string | undefined>();
    },
  };
  expectTypeOf(told).toEqualTypeOf<RequestOptions>();
  // @ts-expect-error a time is a number of milliseconds
  const wrong: RequestOptions = { timeout: '1s' };
  expectTypeOf(wrong).toEqualTypeOf<RequestOptions>();
});

test('every method that asks the server takes the options of a call last', () => {
  type Last<Method> = Method extends (...args: infer Args) => unknown
    ? Required<Args> extends [...unknown[], infer Final]
      ? NonNullable<Final>
      : never
    : never;
  expectTypeOf<
    Last<
      Connection[
        | 'request'
        | 'start'
        | 'resume'
        | 'tools'
        | 'listTools'
        | 'resources'
        | 'listResources'
        | 'resourceTemplates'
        | 'listResourceTemplates'
        | 'readResource'
        | 'prompts'
        | 'listPrompts'
        | 'getPrompt'
        | 'complete'
        | 'ping']
    >
  >().toEqualTypeOf<RequestOptions>();
});

test('handlers are given the question and who asks, and answer now or later', () => {
  const handlers: AnswerHandlers = {
    onElicit: (params, ctx) => {
      expectTypeOf(params).toEqualTypeOf<ElicitFormParams | ElicitUrlParams>();
      expectTypeOf(ctx).toEqualTypeOf<QuestionContext>();
      expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(ctx.server).toEqualTypeOf<Implementation | undefined>();
      if (params.mode === 'url') {
        expectTypeOf(params.url).toBeString();
        return { action: 'decline' };
      }
      expectTypeOf(params.requestedSchema).toEqualTypeOf<ElicitForm>();
      return Promise.resolve({ action: 'accept' as const, content: { name: 'x', tags: ['a'], age: 1, ok: true } });
    },
    onSample: async (params, ctx) => {
      expectTypeOf(params).toEqualTypeOf<CreateMessageParams>();
      expectTypeOf(ctx).toEqualTypeOf<QuestionContext>();
      return { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } };
    },
    onListRoots: (ctx) => {
      expectTypeOf(ctx).toEqualTypeOf<QuestionContext>();
      return { roots: [{ uri: 'file:///home' }] };
    },
  };
  expectTypeOf(handlers).toEqualTypeOf<AnswerHandlers>();
  expectTypeOf<ReturnType<NonNullable<AnswerHandlers['onSample']>>>().toEqualTypeOf<
    CreateMessageResult | Promise<CreateMessageResult>
  >();
  expectTypeOf<ReturnType<NonNullable<AnswerHandlers['onListRoots']>>>().toEqualTypeOf<
    ListRootsResult | Promise<ListRootsResult>
  >();
});

test('an answer that no server could read is an error', () => {
  const wrong: AnswerHandlers[] = [
    // @ts-expect-error a person accepts, declines or cancels
    { onElicit: () => ({ action: 'ok' }) },
    // @ts-expect-error a field is no object
    { onElicit: () => ({ action: 'accept', content: { name: { first: 'x' } } }) },
    // @ts-expect-error an answer says which model gave it
    { onSample: async () => ({ role: 'assistant', content: { type: 'text', text: 'x' } }) },
    // @ts-expect-error a root has a URI
    { onListRoots: () => ({ roots: [{ name: 'home' }] }) },
    // @ts-expect-error there is no such handler
    { onAsk: () => ({ action: 'decline' }) },
  ];
  expectTypeOf(wrong).toEqualTypeOf<AnswerHandlers[]>();
});

test('handlers are options of a connection, and handlers of methods of its own see the same context', () => {
  expectTypeOf<ConnectionOptions>().toExtend<AnswerHandlers>();
  expectTypeOf<ConnectOptions>().toExtend<ConnectionOptions>();
  expectTypeOf<RequestHandler>().parameters.toEqualTypeOf<[Params, QuestionContext]>();
});

test('a step has its result or waits, and says which', () => {
  const use = (step: CallState) => {
    if (step.done) {
      expectTypeOf(step.result).toEqualTypeOf<Record<string, unknown>>();
      // @ts-expect-error what is done does not wait
      return step.pending;
    }
    expectTypeOf(step.pending.questions).toEqualTypeOf<Readonly<Record<string, InputRequest>>>();
    // @ts-expect-error what waits has no result
    return step.result;
  };
  expectTypeOf(use).toBeFunction();
  expectTypeOf<Connection['resume']>().parameter(0).toEqualTypeOf<PendingCall>();
  expectTypeOf<Connection['resume']>().parameter(1).toEqualTypeOf<Readonly<Record<string, InputResponse>>>();
  expectTypeOf<ReturnType<Connection['start'] | Connection['resume']>>().resolves.toEqualTypeOf<CallState>();
});

test('what waits and what was found out can be kept as JSON', () => {
  expectTypeOf<NotJson<PendingCall>>().toBeNever();
  expectTypeOf<NotJson<ServerProfile>>().toBeNever();
  expectTypeOf<NotJson<WatchEvent>>().toBeNever();
  expectTypeOf<NotJson<{ a: { b: (() => void)[] } }>>().toEqualTypeOf<() => void>();
  const kept = (pending: PendingCall): PendingCall => JSON.parse(JSON.stringify(pending));
  expectTypeOf(kept).returns.toExtend<Parameters<Connection['resume']>[0]>();
});

test('an event says what changed, and whether everything is to be read again', () => {
  expectTypeOf<WatchEvent['type']>().toEqualTypeOf<'tools' | 'prompts' | 'resources' | 'resource'>();
  expectTypeOf<WatchEvent['resync']>().toEqualTypeOf<true | undefined>();
  const listener: WatchListener = (event) => {
    // @ts-expect-error a change of a list is of no resource
    expectTypeOf(event.uri).toBeString();
    if (event.type === 'resource') expectTypeOf(event.uri).toBeString();
  };
  expectTypeOf<Connection['watch']>().parameter(1).toEqualTypeOf<typeof listener>();
  expectTypeOf<ReturnType<Connection['watch']>>().resolves.toEqualTypeOf<() => Promise<void>>();
});

test('a list is watched by its name, a resource by its URI', () => {
  const use = async (mcp: Connection, listener: WatchListener) => {
    await mcp.watch('tools', listener);
    await mcp.watch('file:///home/a.txt', listener);
    // @ts-expect-error a URL is not a URI as text
    await mcp.watch(new URL('file:///home/a.txt'), listener);
  };
  expectTypeOf(use).toBeFunction();
});

test('a connection is in one of six states', () => {
  expectTypeOf<ConnectionState>().toEqualTypeOf<
    'connecting' | 'ready' | 'reconnecting' | 'needs-auth' | 'failed' | 'closed'
  >();
  expectTypeOf<Connection['state']>().toEqualTypeOf<ConnectionState>();
  expectTypeOf<StateListener>().toEqualTypeOf<(state: ConnectionState) => void>();
  expectTypeOf<Connection['onState']>().toEqualTypeOf<(listener: StateListener) => () => void>();
  expectTypeOf<ConnectionOptions['onStateChange']>().toEqualTypeOf<((state: ConnectionState) => void) | undefined>();
});

test('middleware goes on with the call or with a changed one, and gives any result', () => {
  const timed: ClientMiddleware = async (call, next) => {
    expectTypeOf(call).toEqualTypeOf<ClientCall>();
    expectTypeOf(call.direction).toEqualTypeOf<'out' | 'in'>();
    expectTypeOf(call.kind).toEqualTypeOf<'request' | 'notification'>();
    expectTypeOf(next()).resolves.toBeUnknown();
    return next({ ...call, params: { ...call.params, _meta: { at: 1 } } });
  };
  const answering: ClientMiddleware = (call, next) => (call.method === 'ping' ? {} : next());
  const wrong: ClientMiddleware[] = [
    // @ts-expect-error params alone are no call
    (call, next) => next({ params: call.params }),
    // @ts-expect-error params are an object
    (call, next) => next({ ...call, params: 1 }),
    (call, next) => {
      // @ts-expect-error a call is not changed in place
      call.method = 'x';
      return next(call);
    },
  ];
  expectTypeOf([timed, answering, ...wrong]).toEqualTypeOf<ClientMiddleware[]>();
});
