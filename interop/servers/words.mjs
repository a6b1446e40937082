/** What the servers of the common set share. */

export const NAMES = ['Ada', 'Alan', 'Grace'];
export const IDS = ['1', '12', '2'];

/** The tools that need more than one request of a client to be of use: without a session there are none. */
export const ACROSS_REQUESTS = ['ask', 'sample', 'roots', 'wait', 'grow', 'touch'];

/** Suggests those of the words that begin with what was typed. */
export const starting = (words) => (typed) => words.filter((word) => word.startsWith(typed));
