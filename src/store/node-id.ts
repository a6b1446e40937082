/** Names of nodes: one process that serves is a node, and several nodes share sessions, tasks and changes. */

/** A new id: 16 hexadecimal digits, never two of them the same. */
export function newNodeId(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(-16);
}
