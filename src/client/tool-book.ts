/** Tool definitions of a server: detection of changes, pinning, and validation of structured results. */

import { ConnectionError, toError } from '../jsonrpc/errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { printable, quoted } from '../jsonrpc/printable.ts';
import type { CallToolResult, Tool } from '../protocol/model/tools.ts';
import type { CheckedSchema } from '../schema/check/checked-schema.ts';
import { receivedSchema } from '../schema/check/received-schema.ts';
import { type Checked, describeProblems } from '../schema/problems.ts';
import type { ArgumentHeaders } from './argument-headers.ts';
import { CLIENT_LIMITS, sizeOf } from './limits.ts';
import { definitionOf, toolDigest } from './tool-digest.ts';

/** A changed tool definition. */
export interface ToolChange {
  readonly name: string;
  /** Undefined if only a pinned digest was known. */
  readonly before: Tool | undefined;
  readonly after: Tool;
  /** Digest of `after`. */
  readonly digest: string;
}

/** Options for changed tools and the validation of results. */
export interface ToolPinningOptions {
  /** Whether structured results are validated against the tool's output schema. Default: true. */
  readonly validateResults?: boolean;
  /**
   * Digests from an earlier connection (`toolDigests()`). A tool with another digest is not listed and cannot be called, unless
   * `onToolChanged` returns true for it. Without `onToolChanged`, the tool is reported to `onError`.
   */
  readonly pinnedTools?: Readonly<Record<string, string>>;
  /**
   * Called with a changed tool definition before it is used. `false` rejects the definition; for a pinned tool, only `true`
   * accepts it. `tools/list` waits for the returned promise, so the function must not list tools.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is typed void
  readonly onToolChanged?: (change: ToolChange) => boolean | void | Promise<boolean | void>;
}

/** Maximum length of a problem description in characters. */
const MAX_TEXT = 4096;
/** A definition is kept as JSON text and as an object. */
const COPIES = 2;

interface Entry {
  /** Undefined if every definition so far was rejected. */
  tool: Tool | undefined;
  /** The definition as received, because callers can modify the object. */
  json: string;
  /** Estimated size of `tool` and `json` together, in bytes. */
  size: number;
  isRefused: boolean;
  /** Prepared output schema, set on the first result. `none` if results are not validated. */
  schema: CheckedSchema | 'none' | undefined;
  /** True after the warning that a result was not validated. */
  isUncheckedReported?: boolean;
}

/**
 * The tools of one server, including those no longer listed, to detect a change when they return. None is evicted, because a
 * server could hide a change behind many new tools: above 10 000 tools or 64 MiB, new ones are left out unless pinned.
 */
export class ToolBook {
  readonly #entries = new Map<string, Entry>();
  readonly #pins: ReadonlyMap<string, string>;
  readonly #options: ToolPinningOptions;
  readonly #warn: (warning: Error) => void;
  #lastTake: Promise<unknown> = Promise.resolve();
  #toldOfExcess = false;
  #bytes = 0;

  constructor(options: ToolPinningOptions, warn: (warning: Error) => void) {
    this.#options = options;
    this.#warn = warn;
    this.#pins = new Map(Object.entries(options.pinnedTools ?? {}));
  }

  /** Estimated size of all definitions in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of known tools, including rejected ones. */
  get size(): number {
    return this.#entries.size;
  }

  /** Stores the tools of a decoded page and returns the usable ones. `mirrored` stores their `x-mcp-header` declarations. */
  take(tools: readonly Tool[], mirrored?: ArgumentHeaders): Promise<readonly Tool[]> {
    // One page after the other, so that `onToolChanged` is not called twice for one change, and the last definition wins.
    const taken = this.#lastTake.then(() => this.#takePage(tools, mirrored));
    this.#lastTake = taken.catch(() => undefined);
    return taken;
  }

  /** Returns the last accepted definition of a tool. */
  get(name: string): Tool | undefined {
    return this.#entries.get(name)?.tool;
  }

  /** Returns true if the last definition was rejected: by `onToolChanged`, a pinned digest, or the memory limit. */
  isRefused(name: string): boolean {
    return this.#entries.get(name)?.isRefused === true;
  }

  /** Returns true if the tool's annotations say that it is read-only or idempotent. */
  isRepeatable(name: string): boolean {
    const annotations: unknown = this.get(name)?.annotations;
    // After a rejected change, the earlier annotations do not apply any more.
    if (!isObject(annotations) || this.isRefused(name)) return false;
    return annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true;
  }

  /**
   * Validates a structured result against the tool's output schema. Throws `ConnectionError('malformed')` if it does not match.
   * Synchronous once the JSON Schema engine is loaded. `isRequired` is false in revisions without structured content.
   */
  check(name: string, result: CallToolResult, isRequired = true): CallToolResult | Promise<CallToolResult> {
    const entry = this.#entries.get(name);
    // Error results need not match the output schema.
    if (!entry?.tool || this.#options.validateResults === false || result.isError === true) return result;
    const schema = this.#schemaOf(name, entry);
    if (schema === 'none') return result;
    const { structuredContent } = result;
    if (structuredContent === undefined) {
      if (!isRequired) return result;
      throw malformed(name, 'has no structuredContent, which its outputSchema asks for');
    }
    let checked: Checked | Promise<Checked>;
    try {
      checked = schema.check(structuredContent);
    } catch (error) {
      return this.#uncheckable(name, entry, result, error);
    }
    if (!(checked instanceof Promise)) return this.#conforming(name, entry, result, checked);
    return checked.then(
      (outcome) => this.#conforming(name, entry, result, outcome),
      (error: unknown) => this.#uncheckable(name, entry, result, error),
    );
  }

  #conforming(name: string, entry: Entry, result: CallToolResult, checked: Checked): CallToolResult {
    if (!checked.ok) throw malformed(name, `does not follow its outputSchema: ${describeProblems(checked.problems)}`);
    if (checked.unchecked !== undefined && !entry.isUncheckedReported) {
      entry.isUncheckedReported = true;
      this.#warn(new Error(notChecked(name, checked.unchecked)));
    }
    return result;
  }

  // The JSON Schema engine failed, or could not be loaded.
  #uncheckable(name: string, entry: Entry, result: CallToolResult, error: unknown): CallToolResult {
    if (entry.schema !== 'none') this.#warn(new Error(notChecked(name, 'the check itself failed'), { cause: error }));
    entry.schema = 'none';
    return result;
  }

  /** Returns the digests of all accepted tools, and the pinned digests of tools that were not listed. */
  async digests(): Promise<Readonly<Record<string, string>>> {
    const known = [...this.#entries].flatMap(([name, { tool, json }]) => (tool ? [{ name, json }] : []));
    const digests = await Promise.all(
      known.map(async ({ name, json }) => [name, await toolDigest(JSON.parse(json))] as const),
    );
    return Object.fromEntries([...this.#pins, ...digests]);
  }

  async #takePage(tools: readonly Tool[], mirrored: ArgumentHeaders | undefined): Promise<readonly Tool[]> {
    const usable: Tool[] = [];
    const faults: string[] = [];
    for (const [at, tool] of tools.entries()) {
      const size = sizeOf(tool);
      const fault = faultOf(tool, size);
      if (fault) faults.push(`/tools/${at} ${fault}`);
      else if (this.#hasRoom(tool.name, size) && mirrored?.take(tool) !== false && (await this.#isUsable(tool, size))) {
        usable.push(tool);
      }
    }
    if (faults.length > 0) this.#warn(new Error(`Malformed tools are left out: ${someOf(faults)}`));
    return usable;
  }

  #hasRoom(name: string, size: number): boolean {
    const { tools, rememberedBytes } = CLIENT_LIMITS;
    const known = this.#entries.get(name);
    if (this.#pins.has(name)) return true;
    if (!known && this.#entries.size >= tools) return this.#tellOfExcess(`${tools} tools`, name);
    if (this.#bytes - (known?.size ?? 0) + size * COPIES <= rememberedBytes) return true;
    if (known) known.isRefused = true;
    return this.#tellOfExcess(`${rememberedBytes} bytes of tools`, name);
  }

  #tellOfExcess(limit: string, name: string): false {
    const text = `The server has listed more than ${limit}: those that are new are left out, ${quoted(name)} first`;
    if (!this.#toldOfExcess) this.#warn(new Error(text));
    this.#toldOfExcess = true;
    return false;
  }

  /** Stores a tool definition. Returns true if the tool may be used. */
  async #isUsable(tool: Tool, bytes: number): Promise<boolean> {
    const json = JSON.stringify(tool);
    const size = bytes * COPIES;
    const known = this.#entries.get(tool.name);
    // The JSON is compared first, because it is nearly always identical.
    if (known?.tool && (known.json === json || definitionOf(JSON.parse(known.json)) === definitionOf(tool))) {
      this.#enter(tool.name, { ...known, tool, json, size, isRefused: false });
      return true;
    }
    const isAccepted = await this.#accepts(tool, known?.tool && JSON.parse(known.json));
    if (isAccepted) this.#enter(tool.name, { tool, json, size, isRefused: false, schema: undefined });
    else if (known) known.isRefused = true;
    else this.#enter(tool.name, { tool: undefined, json: '', size: 0, isRefused: true, schema: undefined });
    return isAccepted;
  }

  #enter(name: string, entry: Entry): void {
    this.#bytes += entry.size - (this.#entries.get(name)?.size ?? 0);
    this.#entries.set(name, entry);
  }

  async #accepts(tool: Tool, before: Tool | undefined): Promise<boolean> {
    const { onToolChanged } = this.#options;
    const { name } = tool;
    const pin = this.#pins.get(name);
    if (pin === undefined && (!before || !onToolChanged)) return true;
    const digest = await toolDigest(tool);
    if (digest === pin) return true;
    if (!onToolChanged) {
      const hint = 'compare the definitions, then pin it again or return true from "onToolChanged"';
      this.#warn(new Error(`Tool ${quoted(name)} is not the one that was pinned, and is left out: ${hint}`));
      return false;
    }
    try {
      const answer = await onToolChanged({ name, before, after: tool, digest });
      return pin === undefined ? answer !== false : answer === true;
    } catch (error) {
      this.#warn(toError(error, 'onToolChanged failed'));
      return false;
    }
  }

  #schemaOf(name: string, entry: Entry): CheckedSchema | 'none' {
    if (entry.schema) return entry.schema;
    const { outputSchema } = JSON.parse(entry.json) as { outputSchema?: unknown };
    // Some servers send null instead of no schema.
    const isNone = outputSchema === undefined || outputSchema === null;
    const received = isNone ? undefined : receivedSchema(outputSchema);
    entry.schema = received && 'schema' in received ? received.schema : 'none';
    if (received && 'fault' in received) {
      this.#warn(new Error(notChecked(name, `outputSchema${received.fault.path}: ${received.fault.message}`)));
    }
    return entry.schema;
  }
}

function faultOf(tool: unknown, size: number): string | undefined {
  if (!isObject(tool)) return 'must be an object';
  if (typeof tool['name'] !== 'string') return 'must have a "name" that is a string';
  if (!isObject(tool['inputSchema'])) return 'must have an "inputSchema" that is an object';
  if (size === Number.POSITIVE_INFINITY) return 'is nested too deeply';
  const { definitionBytes } = CLIENT_LIMITS;
  return size > definitionBytes ? `has a definition of more than ${definitionBytes} bytes` : undefined;
}

function malformed(name: string, what: string): ConnectionError {
  return new ConnectionError('malformed', `The result of tool ${quoted(name)} ${printable(what, MAX_TEXT)}`);
}

function notChecked(name: string, reason: string): string {
  return `Results of tool ${quoted(name)} are not checked: ${printable(reason, MAX_TEXT)}`;
}

function someOf(faults: readonly string[]): string {
  return faults.length > 3 ? `${faults.slice(0, 3).join('; ')}; and ${faults.length - 3} more` : faults.join('; ');
}
