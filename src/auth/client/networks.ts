/** Classifies IP addresses and hostnames by network, for the SSRF policy. Makes no DNS lookups. */

/** Network of an address. `forbidden`: link-local, reserved and cloud metadata addresses, to which no request is sent. */
export type Network = 'public' | 'private' | 'loopback' | 'forbidden';

type Range = readonly [prefix: string, bits: number, network: Network];

/** IPv4 ranges. The first match counts; other addresses are public. */
const RANGES_4: readonly Range[] = [
  ['0.0.0.0', 8, 'forbidden'],
  ['169.254.0.0', 16, 'forbidden'],
  // Cloud metadata services, which give credentials to every client: Alibaba, Oracle, Azure.
  ['100.100.100.200', 32, 'forbidden'],
  ['192.0.0.192', 32, 'forbidden'],
  ['168.63.129.16', 32, 'forbidden'],
  // Multicast (224.0.0.0/4) and reserved (240.0.0.0/4).
  ['224.0.0.0', 3, 'forbidden'],
  ['127.0.0.0', 8, 'loopback'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'private'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'private'],
];
/** IPv6 ranges. The first match counts. */
const RANGES_6: readonly Range[] = [
  ['::1', 128, 'loopback'],
  ['::', 128, 'forbidden'],
  ['fe80::', 10, 'forbidden'],
  ['ff00::', 8, 'forbidden'],
  // NAT64 prefix for local use (RFC 8215): the position of the embedded IPv4 address is not known.
  ['64:ff9b:1::', 48, 'forbidden'],
  // Cloud metadata services: Amazon, Google, Oracle, Alibaba, Scaleway.
  ['fd00:ec2::', 32, 'forbidden'],
  ['fd20:ce::254', 128, 'forbidden'],
  ['fd00:c1::a9fe:a9fe', 128, 'forbidden'],
  ['fd00:100::100:200', 128, 'forbidden'],
  ['fd00:42::42', 128, 'forbidden'],
  ['2000::', 3, 'public'],
  ['::', 0, 'private'],
];
/** IPv6 prefixes that stand for an IPv4 address: IPv4-mapped and NAT64. */
const ALIASES = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
] as const;
/** Deprecated prefixes with an IPv4 address at the end: IPv4-compatible and IPv4-translated. */
const IPV4_AT_END = [
  ['::', 96],
  ['::ffff:0:0:0', 96],
] as const;
const METADATA_NAME =
  /^(?:metadata|metadata\.goog|metadata\.google\.internal|metadata\.tencentyun\.com|instance-data(?:\.ec2\.internal)?)$/;
const LOOPBACK_NAME = /(?:^|\.)localhost$/;
/** Domain names that are resolved in private networks only. */
const PRIVATE_NAME = /(?:^|\.)(?:local|internal|lan|home\.arpa)$/;
/** Networks, from the least to the most restricted. */
const ORDER: readonly Network[] = ['public', 'private', 'loopback', 'forbidden'];

/** True if the SSRF policy `reach` allows requests to this network. */
export function isWithin(network: Network, reach: Network): boolean {
  return ORDER.indexOf(network) <= ORDER.indexOf(reach) && network !== 'forbidden';
}

/** Returns the network of a `URL.hostname`. Domain names that are not known to be private count as public. */
export function networkOfHost(hostname: string): Network {
  const host = bare(hostname);
  if (ipv4(host) || host.includes(':')) return networkOf(host);
  if (METADATA_NAME.test(host)) return 'forbidden';
  if (LOOPBACK_NAME.test(host)) return 'loopback';
  return PRIVATE_NAME.test(host) || !host.includes('.') ? 'private' : 'public';
}

/** Returns the network of an IP address; `forbidden` for text that is not an address. */
export function networkOf(address: string): Network {
  const text = bare(address);
  const bytes = ipv4(text);
  if (bytes) return networkOf4(bytes);
  const groups = ipv6(text);
  return groups ? networkOf6(groups) : 'forbidden';
}

function networkOf4(bytes: readonly number[]): Network {
  return RANGES_4.find(([prefix, bits]) => hasPrefix(bytes, ipv4(prefix), bits, 8))?.[2] ?? 'public';
}

function networkOf6(groups: readonly number[]): Network {
  const isIn = ([prefix, bits]: readonly [string, number, ...unknown[]]): boolean =>
    hasPrefix(groups, ipv6(prefix), bits, 16);
  const [a = 0, b = 0, c = 0, d = 0, , , g = 0, h = 0] = groups;
  if (ALIASES.some(isIn)) return networkOf4(bytesOf(g, h));
  const own = RANGES_6.find(isIn)?.[2] ?? 'private';
  if (own === 'loopback') return own;
  const embedded = [
    ...(IPV4_AT_END.some(isIn) ? [bytesOf(g, h)] : []),
    // 6to4 embeds one IPv4 address. Teredo embeds that of a server and, inverted, that of a client.
    ...(a === 0x2002 ? [bytesOf(b, c)] : []),
    ...(a === 0x2001 && b === 0 ? [bytesOf(c, d), bytesOf(g ^ 0xffff, h ^ 0xffff)] : []),
  ];
  return strictest([own, ...embedded.map(networkOf4)]);
}

function strictest(networks: readonly Network[]): Network {
  return ORDER.findLast((network) => networks.includes(network)) ?? 'forbidden';
}

/** True if the first `bits` bits of two addresses are equal. The addresses are in parts of `size` bits. */
function hasPrefix(address: readonly number[], prefix: readonly number[] = [], bits: number, size: number): boolean {
  return address.every((part, index) => {
    const ignored = Math.min(size, Math.max(0, (index + 1) * size - bits));
    return part >>> ignored === (prefix[index] ?? 0) >>> ignored;
  });
}

function bytesOf(high: number, low: number): readonly number[] {
  return [high >>> 8, high & 255, low >>> 8, low & 255];
}

// Removes the brackets of URLs, the zone id (`%eth0`) and the final dot of DNS names.
function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '')
    .replace(/\.$/, '');
}

function ipv4(text: string): readonly number[] | undefined {
  const parts = text.split('.');
  const isAddress =
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
  return isAddress ? parts.map(Number) : undefined;
}

function ipv6(text: string): readonly number[] | undefined {
  if (!/^[\da-f:.]{2,45}$/.test(text)) return undefined;
  const halves = text.split('::');
  const [head, tail] = halves.map(groupsOf);
  if (halves.length > 2 || head === undefined) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  if (tail === undefined || head.length + tail.length > 7) return undefined;
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function groupsOf(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const bytes = ipv4(parts.at(-1) ?? '');
  if (bytes) parts.splice(-1, 1, hex(bytes, 0), hex(bytes, 2));
  return parts.every((part) => /^[\da-f]{1,4}$/.test(part))
    ? parts.map((part) => Number.parseInt(part, 16))
    : undefined;
}

function hex(bytes: readonly number[], at: number): string {
  return (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16);
}
