/** Names of event streams: they say what is at the other end, and nobody can guess them. */

import { unguessable } from './unguessable.ts';

const POST = 'post-';

/** The stream of a POST. */
export function postStreamName(): string {
  return `${POST}${unguessable()}`;
}

/** The stream that stands by itself. In one piece, since it is kept for as long as that is open. */
export function standaloneStreamName(): string {
  return ['get', unguessable()].join('-');
}

/** True for the stream of a POST: it has an end. */
export function isPostStream(name: string): boolean {
  return name.startsWith(POST);
}
