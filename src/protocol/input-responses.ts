/** Client capabilities that input requests require, and validation of input responses. */

import { isObject } from '../jsonrpc/message.ts';
import type { ClientCapabilityName } from './model/capabilities.ts';
import type { InputRequest, InputResponse } from './model/input-requests.ts';

export function capabilityFor({ method, params }: InputRequest): ClientCapabilityName {
  if (method === 'elicitation/create') return `elicitation.${params.mode}`;
  if (method === 'roots/list') return 'roots';
  return params.tools || params.toolChoice ? 'sampling.tools' : 'sampling';
}

/** Returns true if the value has the shape of a response to an input request with this method. */
export function isInputResponse(method: string, value: unknown): value is InputResponse {
  return shapes.get(method)?.(value) ?? false;
}

export function isAnyInputResponse(value: unknown): value is InputResponse {
  return [...shapes.values()].some((check) => check(value));
}

const shapes: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['elicitation/create', isElicitResult],
  ['sampling/createMessage', isCreateMessageResult],
  ['roots/list', isListRootsResult],
]);

function isElicitResult(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { action, content } = value;
  return ['accept', 'decline', 'cancel'].includes(action as string) && (content === undefined || isObject(content));
}

function isCreateMessageResult(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { role, content, model } = value;
  const blocks = Array.isArray(content) ? content : [content];
  return (
    (role === 'user' || role === 'assistant') &&
    typeof model === 'string' &&
    blocks.every((block) => isObject(block) && typeof block['type'] === 'string')
  );
}

function isListRootsResult(value: unknown): boolean {
  return (
    isObject(value) &&
    Array.isArray(value['roots']) &&
    value['roots'].every((root) => isObject(root) && typeof root['uri'] === 'string')
  );
}
