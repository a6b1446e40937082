/** What a client knows of a server's tools: their definitions, whether those are still the same, and what they promise. */

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

/** A tool that is not what it was. */
export interface ToolChange {
  readonly name: string;
  /** Undefined if only a pinned digest was known. */
  readonly before: Tool | undefined;
  readonly after: Tool;
  /** That of `after`. */
  readonly digest: string;
}

/** What can be chosen of how tools are watched over. */
export interface ToolPinningOptions {
  /** False: structured results are not checked. Default: true. */
  readonly validateResults?: boolean;
  /**
   * Digests of an earlier connection (what `toolDigests()` gave). A tool that differs is left out of lists, not called, and
   * told to `onError`, unless `onToolChanged` returns true for it.
   */
  readonly pinnedTools?: Readonly<Record<string, string>>;
  /**
   * A tool's definition is not the one known before; called before the new one is used. `false` keeps it from being
   * used; for a tool that is pinned, only `true` lets it be used. Lists of tools wait for the answer, so it must not list
   * tools itself.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is typed void
  readonly onToolChanged?: (change: ToolChange) => boolean | void | Promise<boolean | void>;
}

/** Characters of what is wrong with a schema or a result. */
const MAX_TEXT = 4096;
/** A definition is remembered as it arrived, and as an object. */
const COPIES = 2;

interface Entry {
  /** Undefined if every definition so far was refused. */
  tool: Tool | undefined;
  /** The tool as it arrived, since whoever got it may have changed the object. */
  json: string;
  /** Bytes of both. */
  size: number;
  isRefused: boolean;
  /** Checks its results; made for the first of them. */
  schema: CheckedSchema | 'none' | undefined;
  /** A result was not checked, and the warning was given. */
  isUncheckedReported?: boolean;
}

/**
 * The tools of one server. Those that are no longer listed stay known, so that one that comes back is compared. None is
 * forgotten for the sake of others, or a server could list so many that a change of the first goes unseen: beyond 10,000,
 * those that are new are left out, but for pinned ones.
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

  /** How many bytes the definitions take in memory, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many tools are known, those that were refused included. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Takes in the tools of a page as they arrived (already decoded); gives those that may be used. `mirrored` is where
   * arguments are repeated as headers.
   */
  take(tools: readonly Tool[], mirrored?: ArgumentHeaders): Promise<readonly Tool[]> {
    // One page after the other: the same change is not asked about twice at once, and the last to arrive is what counts.
    const taken = this.#lastTake.then(() => this.#takePage(tools, mirrored));
    this.#lastTake = taken.catch(() => undefined);
    return taken;
  }

  /** The tool of this name, in the last definition that may be used. */
  get(name: string): Tool | undefined {
    return this.#entries.get(name)?.tool;
  }

  /** True if the last definition of it was refused by `onToolChanged`. */
  isRefused(name: string): boolean {
    return this.#entries.get(name)?.isRefused === true;
  }

  /** True if its annotations say that calling it twice does no more than calling it once. */
  isRepeatable(name: string): boolean {
    const annotations: unknown = this.get(name)?.annotations;
    // Of a tool that is no longer what it was, nothing is known.
    if (!isObject(annotations) || this.isRefused(name)) return false;
    return annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true;
  }

  /**
   * Checks a structured result against the tool's outputSchema; gives the result, or throws
   * `ConnectionError('malformed')`. Synchronous once the JSON Schema engine is loaded. `isRequired` is false for revisions
   * without structured content, where a result without any is valid.
   */
  check(name: string, result: CallToolResult, isRequired = true): CallToolResult | Promise<CallToolResult> {
    const entry = this.#entries.get(name);
    // An error need not follow the schema: what matters is what it says.
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

  // The engine failed, or could not be loaded.
  #uncheckable(name: string, entry: Entry, result: CallToolResult, error: unknown): CallToolResult {
    if (entry.schema !== 'none') this.#warn(new Error(notChecked(name, 'the check itself failed'), { cause: error }));
    entry.schema = 'none';
    return result;
  }

  /** The digest of every tool that may be used; of those that were pinned and not seen since, the pinned ones. */
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

  /** Enters a tool, and gives whether it may be used. */
  async #isUsable(tool: Tool, bytes: number): Promise<boolean> {
    const json = JSON.stringify(tool);
    const size = bytes * COPIES;
    const known = this.#entries.get(tool.name);
    // Nearly always it is the same to the letter.
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
    // Some servers write null for what they do not have.
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
