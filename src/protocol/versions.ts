/** The names of the protocol's revisions. What else is to be known of each is in `facts.ts`. */

/** The protocol revisions by name. */
export type ProtocolVersion = '2026-07-28' | '2025-11-25' | '2025-06-18' | '2025-03-26' | '2024-11-05';

/** Stateful revisions open with `initialize` and keep a session; stateless ones say everything in each request. */
export type Family = 'stateful' | 'stateless';

const families: readonly (readonly [ProtocolVersion, Family])[] = [
  ['2026-07-28', 'stateless'],
  ['2025-11-25', 'stateful'],
  ['2025-06-18', 'stateful'],
  ['2025-03-26', 'stateful'],
  ['2024-11-05', 'stateful'],
];
const byVersion: ReadonlyMap<string, Family> = new Map(families);

/** Every revision there is, newest first. */
export const VERSIONS: readonly ProtocolVersion[] = families.map(([version]) => version);

/** The revision in force. */
export const LATEST_VERSION: ProtocolVersion = '2026-07-28';

/** The family of the revision of this name; undefined if there is none. */
export function familyOf(version: string): Family | undefined {
  return byVersion.get(version);
}
