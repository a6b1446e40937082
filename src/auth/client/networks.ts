/** The kind of network that an IP address or a host name belongs to. Looks nothing up. */

/** `forbidden`: no request is sent there, whoever names it. */
export type Network = 'public' | 'private' | 'loopback' | 'forbidden';

type Range = readonly [prefix: string, bits: number, network: Network];

/** The first match counts. Other IPv4 addresses are public. */
const RANGES_4: readonly Range[] = [
  ['0.0.0.0', 8, 'forbidden'],
  ['169.254.0.0', 16, 'forbidden'],
  // Metadata services of clouds, which give credentials to every client: Alibaba, Oracle, Azure.
  ['100.100.100.200', 32, 'forbidden'],
  ['192.0.0.192', 32, 'forbidden'],
  ['168.63.129.16', 32, 'forbidden'],
  // Multicast and reserved.
  ['224.0.0.0', 3, 'forbidden'],
  ['127.0.0.0', 8, 'loopback'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'private'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'private'],
];
/** The first match counts. Of the others, 2000::/3 is public. */
const RANGES_6: readonly Range[] = [
  ['::1', 128, 'loopback'],
  ['::', 128, 'forbidden'],
  ['fe80::', 10, 'forbidden'],
  ['ff00::', 8, 'forbidden'],
  // NAT64 of a local network: it embeds IPv4 addresses at a place that only the network knows.
  ['64:ff9b:1::', 48, 'forbidden'],
  // Metadata services of clouds: Amazon, Google, Oracle, Alibaba, Scaleway.
  ['fd00:ec2::', 32, 'forbidden'],
  ['fd20:ce::254', 128, 'forbidden'],
  ['fd00:c1::a9fe:a9fe', 128, 'forbidden'],
  ['fd00:100::100:200', 128, 'forbidden'],
  ['fd00:42::42', 128, 'forbidden'],
  ['2000::', 3, 'public'],
  ['::', 0, 'private'],
];
/** Other ways to write an IPv4 address: mapped, NAT64. */
const ALIASES = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
] as const;
/** Compatible and translated addresses, which nobody should use any more. */
const IPV4_AT_END = [
  ['::', 96],
  ['::ffff:0:0:0', 96],
] as const;
const METADATA_NAME =
  /^(?:metadata|metadata\.goog|metadata\.google\.internal|metadata\.tencentyun\.com|instance-data(?:\.ec2\.internal)?)$/;
const LOOPBACK_NAME = /(?:^|\.)localhost$/;
/** Names that are resolved in one network only. */
const PRIVATE_NAME = /(?:^|\.)(?:local|internal|lan|home\.arpa)$/;
/** From the least to the most restricted. */
const ORDER: readonly Network[] = ['public', 'private', 'loopback', 'forbidden'];

/** True if requests that may go as far as `reach` may go to this network. */
export function isWithin(network: Network, reach: Network): boolean {
  return ORDER.indexOf(network) <= ORDER.indexOf(reach) && network !== 'forbidden';
}

/** The network of a host as `new URL().hostname` has it. A name that may be anywhere counts as public. */
export function networkOfHost(hostname: string): Network {
  const host = bare(hostname);
  if (ipv4(host) || host.includes(':')) return networkOf(host);
  if (METADATA_NAME.test(host)) return 'forbidden';
  if (LOOPBACK_NAME.test(host)) return 'loopback';
  return PRIVATE_NAME.test(host) || !host.includes('.') ? 'private' : 'public';
}

/** The network of an IP address; `forbidden` for text that is no address. */
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
    // 6to4; Teredo has the addresses of a server and, inverted, of a client.
    ...(a === 0x2002 ? [bytesOf(b, c)] : []),
    ...(a === 0x2001 && b === 0 ? [bytesOf(c, d), bytesOf(g ^ 0xffff, h ^ 0xffff)] : []),
  ];
  return strictest([own, ...embedded.map(networkOf4)]);
}

function strictest(networks: readonly Network[]): Network {
  return ORDER.findLast((network) => networks.includes(network)) ?? 'forbidden';
}

/** Compares the first bits of two addresses, given in parts of `size` bits. */
function hasPrefix(address: readonly number[], prefix: readonly number[] = [], bits: number, size: number): boolean {
  return address.every((part, index) => {
    const ignored = Math.min(size, Math.max(0, (index + 1) * size - bits));
    return part >>> ignored === (prefix[index] ?? 0) >>> ignored;
  });
}

function bytesOf(high: number, low: number): readonly number[] {
  return [high >>> 8, high & 255, low >>> 8, low & 255];
}

// In brackets in URLs; with the name of an interface from the operating system; with a dot at the end in DNS.
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
