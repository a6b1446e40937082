/** `InputRequests`: the input requests of one call, sent as requests to the client or returned in an `input_required` result. */

import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import { fingerprint } from '../../jsonrpc/json/canonical-json.ts';
import { shorten } from '../../jsonrpc/printable.ts';
import { missingCapability } from '../../protocol/errors.ts';
import { capabilityFor, isInputResponse } from '../../protocol/input-requests.ts';
import type { MethodRow } from '../../protocol/methods.ts';
import type { ClientCapabilityName } from '../../protocol/model/capabilities.ts';
import type { InputRequest, InputResponse } from '../../protocol/model/input-requests.ts';
import type { Call, Revision } from '../../protocol/revision.ts';
import type { ServerInternals } from '../internals.ts';
import { Suspension } from './input-required.ts';
import { Journal, type JournaledRequest } from './journal.ts';

/** The members of a request context that its input requests need. */
export interface InputCaller extends Call {
  readonly row: MethodRow | undefined;
  readonly wire: Revision;
  /** How input requests reach the client: as a `request`, or with a `retry` of the call. `request` once the call is detached. */
  readonly inputVia: Revision['features']['inputVia'];
  /** Pending while a task is being started for the call; otherwise undefined. */
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
  /** Cancels the input request when it is aborted. */
  readonly signal: AbortSignal | undefined;
}

/** The journal of a call, and the pending input requests of the current run of its handler. */
export class InputRequests {
  readonly call: InputCaller;
  /** Input requests of this run that the client gets in the `input_required` result, by key. */
  readonly pending: Map<string, { readonly request: InputRequest; readonly journaled: JournaledRequest }> = new Map();
  /** True if the client has to retry the call later even though no input request is pending. */
  isWaiting = false;
  journal: Journal = new Journal();
  /** Resolves when the current run of the handler is suspended. */
  suspended: Promise<void>;
  #suspend: () => void = () => {};
  /** For each method, the number of input requests of this run without the option `key`. Their keys contain it. */
  readonly #ordinals = new Map<string, number>();
  /** Keys of the input requests of this run, to detect duplicates. */
  readonly #keys = new Set<string>();
  /** Names of the steps of this run, to detect duplicates. */
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

  /** True if the current run cannot complete, because it waits for input or for a retry. */
  get isSuspended(): boolean {
    return this.pending.size > 0 || this.isWaiting;
  }

  /**
   * Resolves to the response in the journal if there is one, otherwise to that of the client. Rejects with a `Suspension` if the
   * handler has to run again. Input requests that one run makes concurrently are sent in the same round trip.
   */
  request(
    request: InputRequest,
    key: string | undefined,
    accepts: Accepts = acceptAll,
    signal?: AbortSignal,
  ): Promise<InputResponse> {
    const { detaching } = this.call;
    const open = { key: key ?? this.#nextKey(request.method), request, accepts, signal };
    if (detaching) {
      // The task gets the input request once it has started. If it cannot be started, the client gets the input request.
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

  /** Suspends this run without an input request. The client has to retry the call later. */
  suspendUntilRetry(): Promise<never> {
    this.isWaiting = true;
    return this.#suspendRun();
  }

  /** Returns the value of the step if the journal has it; otherwise runs `fn` and records its value. */
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
      // The name of a failed step is free again, since the handler may repeat the step.
      this.#stepNames.delete(name);
      throw error;
    } finally {
      this.#runningSteps.delete(running);
    }
  }

  /** Resolves when no step is running. */
  async stepsDone(): Promise<void> {
    await Promise.allSettled(this.#runningSteps);
  }

  /** Sends an input request to the client and resolves to the response. */
  async send(request: InputRequest, signal?: AbortSignal): Promise<InputResponse> {
    const { exchange, wire } = this.call;
    const { method, params } = wire.encodeInputRequest(request);
    if (!exchange.ask) throw missingCapability(capabilityFor(request));
    // There is no idle timeout, since a person may have to respond. The wait ends with the call or at the maximum timeout.
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

  /** Returns the `elicitationId` with which a URL elicitation was sent. Only 2025-11-25 has such ids. */
  elicitationId(request: InputRequest): string | undefined {
    return this.#elicitationIds.get(request);
  }

  /** Clears the state of this run before the handler runs again. The journal is kept. */
  reset(): void {
    this.pending.clear();
    this.#ordinals.clear();
    this.#keys.clear();
    this.#stepNames.clear();
    this.isWaiting = false;
    this.suspended = this.#newSuspension();
  }

  // Returns a response from the journal if it is valid. Otherwise it is removed, and the client gets the input request again.
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
    // The handler may never await the promise. Its rejection must not count as unhandled, which would end the process.
    suspension.catch(() => {});
    return suspension;
  }

  #nextKey(method: string): string {
    const ordinal = this.#ordinals.get(method) ?? 0;
    this.#ordinals.set(method, ordinal + 1);
    return `${method}#${ordinal}`;
  }

  async #runStep<T>(name: string, fn: () => T | Promise<T>): Promise<T> {
    // The value is converted to JSON and back, so that the first run gets the same value as later runs.
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

/** Makes the error of a handler that requires input for a method whose result cannot be `input_required`. */
export function inputNotAllowed(method: string): Error {
  return new Error(`${method} cannot require input: only tools/call, prompts/get and resources/read can`);
}

// Converts an error response to an input request: passed on unchanged, it would look like an error of the call itself.
function toInputError(method: string, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  const message = `The client answered ${method} with error ${error.code}: ${shorten(error.message)}`;
  return new RpcError(ErrorCode.InternalError, message, undefined, { cause: error });
}
