/** Where requests may go, what a browser may be shown, and which addresses belong to private networks. Looks nothing up. */

/** What depends on where the MCP server itself is. */
export interface TargetRules {
  /** Whether private networks may be reached: only if the MCP server is in one. */
  readonly allowPrivate: boolean;
}

type Range4 = readonly [first: readonly number[], bits: number];

/** Nobody on the internet is reached at these: this network, private, shared, loopback, link-local, tests, groups. */
const PRIVATE_4: readonly Range4[] = [
  [[0, 0, 0, 0], 8],
  [[10, 0, 0, 0], 8],
  [[100, 64, 0, 0], 10],
  [[127, 0, 0, 0], 8],
  [[169, 254, 0, 0], 16],
  [[172, 16, 0, 0], 12],
  [[192, 0, 0, 0], 24],
  [[192, 168, 0, 0], 16],
  [[198, 18, 0, 0], 15],
  [[224, 0, 0, 0], 4],
  [[240, 0, 0, 0], 4],
];
/** Names that mean something in one network only; clouds answer with credentials at some of them. */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa)$/;
const LOOPBACK_NAME = /(?:^|\.)localhost$/;

/** Why no request may be sent there: https, or http within a private network, and none of those unless it is allowed. */
export function targetFault(url: URL, { allowPrivate }: TargetRules): string | undefined {
  const fault = schemeFault(url);
  if (fault !== undefined) return fault;
  const isPrivate = isPrivateHost(url.hostname);
  if (isPrivate && !allowPrivate) return 'it is in a private network, and the MCP server is not';
  return url.protocol === 'http:' && !isPrivate ? 'it must use https' : undefined;
}

/** Why a browser may not be sent there: https, or http on this very machine. */
export function pageFault(url: URL): string | undefined {
  const fault = schemeFault(url);
  if (fault !== undefined) return fault;
  const isFine = url.protocol === 'https:' || isLoopbackHost(url.hostname);
  return isFine ? undefined : 'it must use https, or http on localhost';
}

/** Why answers may not be sent there: as for pages, and it may have no fragment. */
export function redirectUriFault(redirectUri: string): string | undefined {
  if (!URL.canParse(redirectUri)) return 'it is not an absolute URL';
  return redirectUri.includes('#') ? 'it must not have a fragment' : pageFault(new URL(redirectUri));
}

/** True for a redirect URI at which a program on this machine can wait by itself. */
export function canListenAt(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

/** True for a host that only this machine can reach, as `new URL().hostname` has it. */
export function isLoopbackHost(hostname: string): boolean {
  const host = bare(hostname);
  const bytes = ipv4(host);
  if (bytes) return bytes[0] === 127;
  return LOOPBACK_NAME.test(host) || ipv6(host)?.join() === '0,0,0,0,0,0,0,1';
}

/** True for a host of a private network, as `new URL().hostname` has it: an address, or a name that has no meaning outside. */
export function isPrivateHost(hostname: string): boolean {
  const host = bare(hostname);
  if (ipv4(host) || host.includes(':')) return isPrivateAddress(host);
  return PRIVATE_NAME.test(host) || !host.includes('.');
}

/** True for an IP address that is not one of the internet's; also for what cannot be read as an address at all. */
export function isPrivateAddress(address: string): boolean {
  const text = bare(address);
  const bytes = ipv4(text);
  if (bytes) return isPrivate4(bytes);
  const groups = ipv6(text);
  return groups === undefined || isPrivate6(groups);
}

function schemeFault({ protocol, username, password }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'it must use https';
  return username !== '' || password !== '' ? 'it must not have a user name or password' : undefined;
}

function isPrivate4(bytes: readonly number[]): boolean {
  const number = numberOf(bytes);
  return PRIVATE_4.some(([first, bits]) => number >>> (32 - bits) === numberOf(first) >>> (32 - bits));
}

function numberOf([a = 0, b = 0, c = 0, d = 0]: readonly number[]): number {
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

function isPrivate6(groups: readonly number[]): boolean {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const isZeroTo = (end: number): boolean => groups.slice(0, end).every((group) => group === 0);
  // An IPv4 address in other clothes is what it is underneath.
  if (isZeroTo(5) && f === 0xffff) return isPrivate4(bytesOf(g, h));
  if (a === 0x64 && b === 0xff9b && !c && !d && !e && !f) return isPrivate4(bytesOf(g, h));
  if (a === 0x2002) return isPrivate4(bytesOf(b, c));
  if (a === 0x2001 && b === 0) return isPrivate4(bytesOf(c, d)) || isPrivate4(bytesOf(g ^ 0xffff, h ^ 0xffff));
  // The internet is 2000::/3.
  return a >>> 13 !== 1;
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
