/** The options of `connect`, and the check of their names. */

import { JSON_LIMITS } from '../jsonrpc/json/message-limits.ts';
import { checkOptions, type KeysOf } from '../jsonrpc/known-options.ts';
import type { ChildOptions } from './command.ts';
import type { HttpClientOptions, ReconnectOptions } from './http-options.ts';
import type { ConnectionOptions } from './options.ts';
import type { RestartOptions } from './supervision.ts';

/** Options of `connect`: general options, options of servers at a URL, and options of child processes. */
export interface ConnectOptions extends ConnectionOptions, HttpClientOptions, ChildOptions {}

const KEYS: KeysOf<ConnectOptions> = {
  timeout: true,
  maxTimeout: true,
  revision: true,
  profile: true,
  info: true,
  capabilities: true,
  extensions: true,
  logLevel: true,
  onLog: true,
  onNotification: true,
  onError: true,
  onStateChange: true,
  onSessionReplaced: true,
  restart: true,
  cache: true,
  maxPages: true,
  maxItems: true,
  maxBytes: true,
  maxRoundTrips: true,
  connectTimeout: true,
  probeTimeout: true,
  signal: true,
  onElicit: true,
  onSample: true,
  onListRoots: true,
  roots: true,
  validateResults: true,
  pinnedTools: true,
  onToolChanged: true,
  headers: true,
  auth: true,
  fetch: true,
  maxResponseBytes: true,
  reconnect: true,
  stderr: true,
  allowCommand: true,
  graceMs: true,
  maxLineLength: true,
  limits: true,
};

const ELSEWHERE = new Map([['maxEventBytes', 'maxResponseBytes']]);

const RESTART_KEYS: KeysOf<RestartOptions> = { maxRestarts: true, withinMs: true, minDelayMs: true, maxDelayMs: true };
const RECONNECT_KEYS: KeysOf<ReconnectOptions> = { maxDelayMs: true, maxTries: true };

/** Throws a TypeError for unknown options. `where` is the name of the called function, for the error message. */
export function checkConnectOptions(where: string, options: ConnectOptions): void {
  checkOptions(where, options, KEYS, [], ELSEWHERE);
  if (typeof options.reconnect === 'object') checkOptions(`${where}: reconnect`, options.reconnect, RECONNECT_KEYS);
  checkOptions(`${where}: limits`, options.limits, JSON_LIMITS);
  if (typeof options.restart !== 'boolean') checkOptions(`${where}: restart`, options.restart, RESTART_KEYS);
}
