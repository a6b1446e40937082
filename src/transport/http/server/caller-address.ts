/** Keys of callers without a principal, derived from their network address. */

const MAPPED = /^::ffff:(?=\d+\.)/i;
// An IPv4 address or a bracketed IPv6 address with a port, as `clientAddress` can take it from a header of a proxy.
const WITH_PORT = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/;

/** Returns the key for per-caller limits: the IPv4 address, the IPv6 /64 network, or an empty string if there is no address. */
export function callerAddress(address: string | undefined): string {
  if (!address) return '';
  const [, bracketed, dotted] = WITH_PORT.exec(address) ?? [];
  const plain = (bracketed ?? dotted ?? address).replace(MAPPED, '');
  return plain.includes(':') ? networkOf(plain) : plain;
}

// One host can use every address of its /64 network, so a limit per IPv6 address would have no effect.
function networkOf(address: string): string {
  const [head = '', tail] = address.split('%', 1).join('').split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${groups.slice(0, 4).map(withoutZeros).join(':')}::/64`;
}

function withoutZeros(group: string): string {
  return group.toLowerCase().replace(/^0+(?=.)/, '');
}
