/** Starts a server process, and explains why a start failed. */

import { type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { type Command, type Invocation, nameOf } from '../../client/command.ts';
import { ConnectionError } from '../../jsonrpc/errors.ts';
import { shorten } from '../../jsonrpc/printable.ts';
import { spawnable } from './cross-spawn.ts';
import { environmentOf } from './environment.ts';
import { MARK, newMark } from './process-list.ts';

/** Checks a command and returns what to execute, with its environment. Throws `ConnectionError` for an invalid command. */
export function invocationOf({ command, args = [], env, cwd }: Command): Invocation {
  const fail = (problem: string): never => {
    throw new ConnectionError('spawn-failed', `Cannot start a server: ${problem}`);
  };
  // Commands come from configuration files, so their types are checked at run time.
  if (typeof command !== 'string' || command === '') fail('"command" must be the name of a program');
  if (!Array.isArray(args)) fail('"args" must be an array of strings');
  const position = args.findIndex((arg) => typeof arg !== 'string' || arg.includes('\0'));
  if (position !== -1) fail(`"args"[${position}] must be a string without null characters`);
  if (cwd !== undefined && typeof cwd !== 'string') fail('"cwd" must be a path');
  const environment = { ...environmentOf(env), [MARK]: newMark() };
  const bad = Object.entries(environment).find(([name, value]) => /[=\0]/.test(name) || value.includes('\0'));
  if (bad) fail(`the variable "${shorten(bad[0])}" in "env" must have neither "=" in its name nor null characters`);
  if (`${command}${cwd ?? ''}`.includes('\0')) fail('"command" and "cwd" must be without null characters');
  return Object.freeze({ command, args: Object.freeze([...args]), env: Object.freeze(environment), cwd });
}

/** Starts the program as the leader of a new process group. A result without `pid` means failure: see `failureOf`. */
export function start(invocation: Invocation): ChildProcessWithoutNullStreams {
  const { command, args, env, cwd } = invocation;
  const onWindows = process.platform === 'win32';
  // A copy, because Node adds variables to it, such as NODE_V8_COVERAGE.
  const variables = { ...env };
  const options: SpawnOptions = { env: variables, cwd, stdio: 'pipe', windowsHide: true, detached: !onWindows };
  try {
    const what = spawnable(command, args, options);
    if (onWindows && what.file === undefined) throw Object.assign(new Error(), { code: 'ENOENT' });
    if (what.options.windowsVerbatimArguments) checkBatchArguments(what.file ?? '', args);
    return spawn(what.command, what.args, what.options) as ChildProcessWithoutNullStreams;
  } catch (error) {
    throw error instanceof ConnectionError ? error : failure(error, invocation);
  }
}

/** Returns the error for a process that has no `pid`, because it could not be started. */
export async function failureOf(
  child: ChildProcessWithoutNullStreams,
  invocation: Invocation,
): Promise<ConnectionError> {
  const [error] = await once(child, 'exit').then(
    () => [undefined],
    (reason: unknown) => [reason],
  );
  // Without free file descriptors, Node creates no streams.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  return failure(error, invocation);
}

/** Throws if the arguments could inject commands: `cmd.exe` parses those of a batch file twice, which can break quoting. */
export function checkBatchArguments(file: string, args: readonly string[]): void {
  const text = args.join(' ');
  // cross-spawn quotes the arguments of npm's own batch files for both passes.
  const isSafe =
    /node_modules[\\/]\.bin[\\/][^\\/]+\.cmd$/i.test(file) || !(text.includes('"') && /[&|<>^%()!]/.test(text));
  if (isSafe && !/[\r\n]/.test(text)) return;
  throw new ConnectionError(
    'spawn-failed',
    'Cannot start a batch file safely with arguments that have line ends, or quotes together with & | < > ^ % ( ) !. ' +
      'Start the program behind it, such as node with the path of a script',
  );
}

/** Returns the error for a program that the system did not start. */
export function failure(error: unknown, invocation: Invocation): ConnectionError {
  const code = codeOf(error);
  const message = `Cannot start the server "${nameOf(invocation)}": ${reasonOf(code, invocation)} (${code})`;
  // The error of Node is not the cause, because it contains all arguments, which can hold secrets.
  const cause = Object.assign(new Error(code), { code });
  return new ConnectionError('spawn-failed', message, { cause });
}

function reasonOf(code: string, invocation: Invocation): string {
  const { command, cwd } = invocation;
  const folder = cwd === undefined ? undefined : problemOfFolder(cwd);
  if (folder !== undefined) return `its working directory "${shorten(cwd ?? '')}" ${folder}`;
  const isPath = /[\\/]/.test(command);
  const name = shorten(command);
  switch (code) {
    case 'ENOENT':
      if (isThere(invocation)) {
        return `"${name}" is there, but the interpreter that its first line names is not. Install that, or give it as "command"`;
      }
      if (/\s/.test(command)) return `there is no program "${name}". Give its arguments in "args", not in "command"`;
      return isPath
        ? `there is no file "${name}". Check the path; a relative one begins at the working directory`
        : `there is no program "${name}" on the PATH. Install it, give its full path, or a PATH in "env"`;
    case 'ENOTDIR':
      return `a part of the path "${name}" is not a directory. Check the path`;
    case 'EACCES':
    case 'EPERM':
      return `"${name}" may not be executed. Give it the permission, or start it with its interpreter`;
    case 'ENOEXEC':
      return `"${name}" is not a program this system can run. Start it with its interpreter`;
    case 'E2BIG':
    case 'ENAMETOOLONG':
      return 'its arguments and variables are too long. Pass large values in a file';
    case 'EAGAIN':
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOMEM':
      return 'the system has no room for another process. End some, or raise the limits';
    default:
      return `the system refused to run "${name}"`;
  }
}

// Checked first, because the system reports a missing directory like a missing program.
function problemOfFolder(cwd: string): string | undefined {
  if (!existsSync(cwd)) return 'does not exist. Create it, or give another "cwd"';
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return 'is not a directory. Give another "cwd"';
  try {
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch {
    return 'may not be entered. Give it the permission, or give another "cwd"';
  }
}

function isThere({ command, env, cwd }: Invocation): boolean {
  if (/[\\/]/.test(command)) return existsSync(resolve(cwd ?? '', command));
  return (env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}
