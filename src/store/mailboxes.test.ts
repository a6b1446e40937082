import { expect, test } from 'vitest';
import { memoryMailboxes } from './mailboxes.ts';

test('a letter reaches whoever reads at its address, and nobody else', () => {
  const mailboxes = memoryMailboxes<number>();
  const read: string[] = [];
  const stop = mailboxes.read('a', (letter) => void read.push(`a${letter}`));
  mailboxes.read('b', (letter) => void read.push(`b${letter}`));
  void mailboxes.send('a', 1);
  void mailboxes.send('b', 2);
  void mailboxes.send('__proto__', 3);
  stop();
  stop();
  void mailboxes.send('a', 4);
  expect(read).toEqual(['a1', 'b2']);
});

test('several may read at one address, and leave while a letter is read', () => {
  const mailboxes = memoryMailboxes<number>();
  const read: string[] = [];
  const stop = mailboxes.read('a', (letter) => {
    read.push(`first ${letter}`);
    stop();
  });
  mailboxes.read('a', (letter) => void read.push(`second ${letter}`));
  void mailboxes.send('a', 1);
  void mailboxes.send('a', 2);
  expect(read).toEqual(['first 1', 'second 1', 'second 2']);
});
