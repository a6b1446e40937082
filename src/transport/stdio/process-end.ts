/** Detects that this process should end: by a signal, or by the death of its parent process. */

import { constants } from 'node:os';

export type EndReason = 'signal' | 'orphaned';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const PARENT_MS = 500;

/** Calls `tell` once when this process should end. The next signal exits at once. Returns a function that stops watching. */
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

  // Stdin normally ends with the parent process, but another process can keep the pipe open.
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (isGone(parent)) tellOnce('orphaned');
  }, PARENT_MS).unref();

  return () => {
    clearInterval(timer);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

// An orphan gets a new parent pid, except on Windows, where it keeps the pid of the dead parent.
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
