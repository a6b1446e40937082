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
  const readers = new Map<string, Set<(letter: Letter) => void>>();
  return {
    send(address, letter) {
      for (const reader of [...(readers.get(address) ?? [])]) reader(letter);
    },
    read(address, reader) {
      const all = readers.get(address) ?? new Set();
      readers.set(address, all);
      const own = (letter: Letter): void => reader(letter);
      all.add(own);
      return () => {
        all.delete(own);
        if (all.size === 0 && readers.get(address) === all) readers.delete(address);
      };
    },
  };
}
