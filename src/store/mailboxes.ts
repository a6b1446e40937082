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
  const readers = new Map<string, readonly { readonly reader: (letter: Letter) => void }[]>();
  return {
    send(address, letter) {
      for (const { reader } of readers.get(address) ?? []) reader(letter);
    },
    read(address, reader) {
      // The same reader may read twice.
      const own = { reader };
      readers.set(address, (readers.get(address) ?? []).concat(own));
      return () => {
        const left = readers.get(address)?.filter((one) => one !== own) ?? [];
        if (left.length > 0) readers.set(address, left);
        else readers.delete(address);
      };
    },
  };
}
