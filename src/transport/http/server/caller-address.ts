/** The key of a caller that is known by its network address only. */

const MAPPED = /^::ffff:(?=\d+\.)/i;

/**
 * An address as it counts for shares. An IPv6 address counts as its /64 network: one host can use all addresses of it.
 * Without an address all callers count as one.
 */
export function callerAddress(address: string | undefined): string {
  if (!address) return '';
  const plain = address.replace(MAPPED, '');
  return plain.includes(':') ? networkOf(plain) : plain;
}

function networkOf(address: string): string {
  const [head = '', tail] = address.split('%', 1).join('').split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
