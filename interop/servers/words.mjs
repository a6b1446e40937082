/** What the servers of the common set share. */

export const NAMES = ['Ada', 'Alan', 'Grace'];
export const IDS = ['1', '12', '2'];

/** Suggests those of the words that begin with what was typed. */
export const starting = (words) => (typed) => words.filter((word) => word.startsWith(typed));

/** Resolves when the signal is aborted, after `note` was called. */
export const abortOf = (signal, note) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(note()), { once: true });
  });
