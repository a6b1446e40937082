/** Stream ids: the kind of stream (POST or GET), the id of the node that writes it, and a random part. */

import { unguessable } from './unguessable.ts';

const POST = 'post-';
const NODE = /^(?:post|get)-([0-9a-z]{1,64})-/;

export function postStreamName(node: string): string {
  return `${POST}${node}-${unguessable()}`;
}

/** Creates the id of a GET stream. `join` makes a flat string, which uses less memory than a concatenated one in V8. */
export function standaloneStreamName(node: string): string {
  return ['get', node, unguessable()].join('-');
}

/** True for the stream of a POST, which ends with the response. */
export function isPostStream(name: string): boolean {
  return name.startsWith(POST);
}

/** Returns the node id in a stream id, an event id or the id of an input request; undefined if there is none. */
export function nodeOf(name: unknown): string | undefined {
  return typeof name === 'string' ? NODE.exec(name)?.[1] : undefined;
}
