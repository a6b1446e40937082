/** How what one node hears reaches the node that waits for it: answers to questions, cancellations, the end. */

/** Letters by address. An address without a reader keeps nothing. */
export interface Mailboxes<Letter> {
  /** Hands a letter to whoever reads at this address, here or elsewhere. */
  send(address: string, letter: Letter): void | Promise<void>;
  /**
   * Reads what is sent to this address until the returned function is called. The reader is told the address with each
   * letter: one function may read at many.
   */
  read(address: string, reader: (letter: Letter, address: string) => void): () => void;
}

/** Mailboxes within this process. */
export function memoryMailboxes<Letter>(): Mailboxes<Letter> {
  // Few addresses have more than one, and one is kept as it is.
  const readers = new Map<string, Reader<Letter> | readonly Reader<Letter>[]>();
  const readersAt = (address: string): readonly Reader<Letter>[] => [readers.get(address) ?? []].flat();
  const setReaders = (address: string, [first, ...others]: readonly Reader<Letter>[]): void => {
    if (first) readers.set(address, others.length === 0 ? first : [first, ...others]);
    else readers.delete(address);
  };
  return {
    send(address, letter) {
      for (const reader of readersAt(address)) reader(letter, address);
    },
    read(address, reader) {
      setReaders(address, [...readersAt(address), reader]);
      return () => {
        const all = readersAt(address);
        // The same reader may read twice.
        const own = all.indexOf(reader);
        setReaders(
          address,
          all.filter((_, at) => at !== own),
        );
      };
    },
  };
}

type Reader<Letter> = (letter: Letter, address: string) => void;
