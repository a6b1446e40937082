/** What tells a process, other than its input, that it is time to end: a signal, or the death of its parent. */

import { constants } from 'node:os';

/** Why a process should end. */
export type EndReason = 'signal' | 'orphaned';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const PARENT_MS = 500;

/**
 * Calls back once when this process should end, and returns how to stop watching.
 * Whoever signals twice means it: the second signal ends the process at once.
 */
export function onProcessEnd(tell: (reason: EndReason) => void): () => void {
  let told = false;
  const tellOnce = (reason: EndReason): void => {
    if (told) return;
    told = true;
    tell(reason);
  };
  const onSignal = (signal: (typeof SIGNALS)[number]): void => {
    if (told) process.exit(128 + constants.signals[signal]);
    tellOnce('signal');
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);

  // Normally the end of the input tells, but somebody else may hold the other end of that pipe open.
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (isGone(parent)) tellOnce('orphaned');
  }, PARENT_MS).unref();

  return () => {
    clearInterval(timer);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

// An orphan gets a new parent, except on Windows, where it keeps the number of the dead one.
function isGone(parent: number): boolean {
  if (process.ppid !== parent) return true;
  if (process.platform !== 'win32') return false;
  try {
    process.kill(parent, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
