/** Names of event streams: the kind of stream, the node that writes it, and a random part that nobody can guess. */

import { unguessable } from './unguessable.ts';

const POST = 'post-';
const NODE = /^(?:post|get)-([0-9a-z]{1,64})-/;

/** The stream of a POST. */
export function postStreamName(node: string): string {
  return `${POST}${node}-${unguessable()}`;
}

/** The stream of a GET. In one piece, since it is kept for as long as the stream is open. */
export function standaloneStreamName(node: string): string {
  return ['get', node, unguessable()].join('-');
}

/** True for the stream of a POST: it has an end. */
export function isPostStream(name: string): boolean {
  return name.startsWith(POST);
}

/** The node that writes a stream, from its name, the id of one of its events, or the id of an input request on it. */
export function nodeOf(name: unknown): string | undefined {
  return typeof name === 'string' ? NODE.exec(name)?.[1] : undefined;
}
