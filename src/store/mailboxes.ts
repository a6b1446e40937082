/** How what one node hears reaches the node that waits for it: answers to questions, cancellations, the end. */

/** Letters by address. An address without a reader keeps nothing. */
export interface Mailboxes<Letter> {
  /** Hands a letter to whoever reads at this address, here or elsewhere. */
  send(address: string, letter: Letter): void | Promise<void>;
  /** Reads what is sent to this address until the returned function is called. */
  read(address: string, reader: (letter: Letter) => void): () => void;
}

/** Mailboxes within this process. */
export function memoryMailboxes<Letter>(): Mailboxes<Letter> {
  // Few addresses have more than one.
  const readers = new Map<string, readonly ((letter: Letter) => void)[]>();
  return {
    send(address, letter) {
      for (const reader of readers.get(address) ?? []) reader(letter);
    },
    read(address, reader) {
      readers.set(address, (readers.get(address) ?? []).concat(reader));
      return () => {
        const all = readers.get(address) ?? [];
        // The same reader may read twice.
        const own = all.indexOf(reader);
        const left = all.filter((_, at) => at !== own);
        if (left.length > 0) readers.set(address, left);
        else readers.delete(address);
      };
    },
  };
}
