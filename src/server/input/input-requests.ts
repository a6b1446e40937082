/** `InputRequests`: the input requests of one call, sent to the client or returned in an `input_required` result. */

import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import { fingerprint } from '../../jsonrpc/json/canonical-json.ts';
import { shorten } from '../../jsonrpc/printable.ts';
import { missingCapability } from '../../protocol/errors.ts';
import { capabilityFor, isInputResponse } from '../../protocol/input-responses.ts';
import type { MethodRow } from '../../protocol/methods.ts';
import type { ClientCapabilityName } from '../../protocol/model/capabilities.ts';
import type { InputRequest, InputResponse } from '../../protocol/model/input-requests.ts';
import type { Call, Revision } from '../../protocol/revision.ts';
import type { ServerInternals } from '../internals.ts';
import { Suspension } from './input-required.ts';
import { Journal, type JournaledRequest } from './journal.ts';

/** The members of `RequestContext` that `InputRequests` uses. */
export interface InputCaller extends Call {
  readonly row: MethodRow | undefined;
  readonly wire: Revision;
  /** How the client gets input requests: as a `request` (always in a task), or in an `input_required` result (`retry`). */
  readonly inputVia: Revision['features']['inputVia'];
  /** Settles when the task for the call has started or failed to start. Undefined while no task is being started. */
  readonly detaching: Promise<void> | undefined;
  readonly server: ServerInternals;
  readonly signal: AbortSignal;
  can(capability: ClientCapabilityName): boolean;
}

/** Returns true if an input response is valid. Otherwise the client gets the input request again. */
type Accepts = (response: InputResponse) => boolean | Promise<boolean>;

const acceptAll: Accepts = () => true;

interface OpenRequest {
  readonly key: string;
  readonly request: InputRequest;
  readonly journaled: JournaledRequest;
  readonly accepts: Accepts;
  readonly signal: AbortSignal | undefined;
}

/** The journal of a call (recorded input responses and steps), and the input requests of the handler's current run. */
export class InputRequests {
  readonly call: InputCaller;
  /** Input requests that suspended the current run, by their key. The client gets them before the next run. */
  readonly pending: Map<string, { readonly request: InputRequest; readonly journaled: JournaledRequest }> = new Map();
  /** True after `suspendUntilRetry`: the current run is suspended without an input request, until the client retries the call. */
  isWaiting = false;
  journal: Journal = new Journal();
  suspended: Promise<void>;
  #suspend: () => void = () => {};
  /** Per method, number of input requests of the current run without the option `key`. Default keys contain the number. */
  readonly #ordinals = new Map<string, number>();
  // Keys of input requests and names of steps of the current run, to detect duplicates.
  readonly #keys = new Set<string>();
  readonly #stepNames = new Set<string>();
  readonly #runningSteps = new Set<Promise<unknown>>();
  readonly #elicitationIds = new WeakMap<InputRequest, string>();

  constructor(call: InputCaller) {
    this.call = call;
    this.suspended = this.#newSuspension();
  }

  /** True if an input request suspends the handler, which runs again with the response. */
  get viaRetry(): boolean {
    const { inputVia, exchange, row } = this.call;
    return inputVia === 'retry' || (exchange.forceReruns && row?.mayRequireInput === true);
  }

  /** True if the current run is suspended until the client sends an input response or retries the call. */
  get isSuspended(): boolean {
    return this.pending.size > 0 || this.isWaiting;
  }

  /** Returns the recorded response, or else sends the input request. Rejects with a `Suspension` if the handler must rerun. */
  request(
    request: InputRequest,
    key: string | undefined,
    accepts: Accepts = acceptAll,
    signal?: AbortSignal,
  ): Promise<InputResponse> {
    const { detaching } = this.call;
    const open = { key: key ?? this.#nextKey(request.method), request, accepts, signal };
    if (detaching) {
      // Sends the input request after the task has started: through the task, or to the client if the task failed to start.
      const again = (): Promise<InputResponse> => this.request(request, open.key, accepts, signal);
      return detaching.then(again, again);
    }
    try {
      const capability = capabilityFor(request);
      if (!this.call.can(capability)) throw missingCapability(capability);
      if (this.#keys.has(open.key)) {
        throw new Error(`Two input requests of one call have the key "${open.key}": pass each its own option "key"`);
      }
      this.#keys.add(open.key);
      const journaled = { method: request.method, fingerprint: fingerprint(request) };
      const known = this.journal.responses.get(open.key);
      return known?.fingerprint === journaled.fingerprint
        ? this.#checkAgain(known.response, { ...open, journaled })
        : this.#requestNow({ ...open, journaled });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Suspends the current run of the handler without an input request, until the client retries the call. */
  suspendUntilRetry(): Promise<never> {
    this.isWaiting = true;
    return this.#suspendRun();
  }

  /** Runs `fn` and records its value in the journal. Later runs of the handler get the recorded value instead. */
  async step<T>(name: string, fn: () => T | Promise<T>): Promise<T> {
    if (this.#stepNames.has(name)) throw new Error(`Two steps of one call have the name "${name}"`);
    this.#stepNames.add(name);
    const known = this.journal.steps.get(name);
    if (known) return known.value as T;
    const running = this.#runStep(name, fn);
    this.#runningSteps.add(running);
    try {
      return await running;
    } catch (error) {
      // The handler may run a failed step again under the same name.
      this.#stepNames.delete(name);
      throw error;
    } finally {
      this.#runningSteps.delete(running);
    }
  }

  /** Resolves when all steps that are running now have settled. */
  async stepsDone(): Promise<void> {
    await Promise.allSettled(this.#runningSteps);
  }

  /** Sends an input request and resolves to the client's response. Rejects if the response is malformed. */
  async send(request: InputRequest, signal?: AbortSignal): Promise<InputResponse> {
    const { exchange, wire } = this.call;
    const { method, params } = wire.encodeInputRequest(request);
    if (!exchange.ask) throw missingCapability(capabilityFor(request));
    // No idle timeout, because a user can respond late. The wait ends with the call, or after the default `maxTimeout`.
    const options = {
      timeout: Number.POSITIVE_INFINITY,
      signal: signal ? AbortSignal.any([this.call.signal, signal]) : this.call.signal,
    };
    const response = await exchange
      .ask(method, params, options)
      .catch((error: unknown) => Promise.reject(toInputError(method, error)));
    if (!isInputResponse(method, response)) throw RpcError.internal(`The client's response to ${method} is malformed`);
    if (typeof params?.['elicitationId'] === 'string') this.#elicitationIds.set(request, params['elicitationId']);
    return response;
  }

  /** Returns the `elicitationId` of a URL elicitation that was sent. Only revision 2025-11-25 has such ids. */
  elicitationId(request: InputRequest): string | undefined {
    return this.#elicitationIds.get(request);
  }

  /** Clears everything except the journal, before the handler runs again. */
  reset(): void {
    this.pending.clear();
    this.#ordinals.clear();
    this.#keys.clear();
    this.#stepNames.clear();
    this.isWaiting = false;
    this.suspended = this.#newSuspension();
  }

  // Returns a recorded response if it is valid. Otherwise removes it from the journal and sends the input request again.
  async #checkAgain(response: InputResponse, open: OpenRequest): Promise<InputResponse> {
    if (await open.accepts(response)) return response;
    this.journal.responses.delete(open.key);
    return this.#requestNow(open);
  }

  async #requestNow({ key, request, journaled, accepts, signal }: OpenRequest): Promise<InputResponse> {
    const { inputVia, row, method, server } = this.call;
    if (this.viaRetry) {
      if (inputVia === 'retry' && !row?.mayRequireInput) throw inputNotAllowed(method);
      this.pending.set(key, { request, journaled });
      return this.#suspendRun();
    }
    for (let attempt = 0; attempt < server.limits.roundTrips; attempt++) {
      const response = await this.send(request, signal);
      if (!(await accepts(response))) continue;
      this.journal.responses.set(key, { ...journaled, response });
      return response;
    }
    throw RpcError.internal(`The client's responses to ${request.method} do not match the requested schema`);
  }

  #suspendRun(): Promise<never> {
    this.#suspend();
    const suspension = Promise.reject(new Suspension('The handler is suspended until the client retries the call'));
    // Marks the rejection as handled. Otherwise Node would end the process if the handler never awaits the promise.
    suspension.catch(() => {});
    return suspension;
  }

  #nextKey(method: string): string {
    const ordinal = this.#ordinals.get(method) ?? 0;
    this.#ordinals.set(method, ordinal + 1);
    return `${method}#${ordinal}`;
  }

  async #runStep<T>(name: string, fn: () => T | Promise<T>): Promise<T> {
    // Converts the value to JSON and back, so that the first run gets the same value as later runs.
    const { value } = JSON.parse(JSON.stringify({ value: await fn() })) as { value?: T };
    this.journal.steps.set(name, { value });
    return value as T;
  }

  #newSuspension(): Promise<void> {
    return new Promise((resolve) => {
      this.#suspend = resolve;
    });
  }
}

export function inputNotAllowed(method: string): Error {
  return new Error(`${method} cannot require input: only tools/call, prompts/get and resources/read can`);
}

// Wraps an error response of the client, because its error code would otherwise become the error code of the call.
function toInputError(method: string, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  const message = `The client answered ${method} with error ${error.code}: ${shorten(error.message)}`;
  return new RpcError(ErrorCode.InternalError, message, undefined, { cause: error });
}
