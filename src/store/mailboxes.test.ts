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

test('one function reads at many addresses, and is told at which', () => {
  const mailboxes = memoryMailboxes<number>();
  const read: string[] = [];
  const reader = (letter: number, address: string): void => void read.push(`${address}${letter}`);
  const stop = mailboxes.read('a', reader);
  mailboxes.read('b', reader);
  void mailboxes.send('a', 1);
  void mailboxes.send('b', 2);
  stop();
  void mailboxes.send('a', 3);
  void mailboxes.send('b', 4);
  expect(read).toEqual(['a1', 'b2', 'b4']);
});
