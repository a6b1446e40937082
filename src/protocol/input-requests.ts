/** Which capability a question needs, and whether an answer has the shape of one. */

import { isObject } from '../jsonrpc/message.ts';
import type { ClientCapabilityName } from './model/capabilities.ts';
import type { InputRequest, InputResponse } from './model/input-requests.ts';

/** What a client must have declared to be asked this. */
export function capabilityFor(question: InputRequest): ClientCapabilityName {
  if (question.method === 'elicitation/create') return `elicitation.${question.params.mode}`;
  if (question.method === 'roots/list') return 'roots';
  const { tools, toolChoice } = question.params;
  return tools || toolChoice ? 'sampling.tools' : 'sampling';
}

/** True for a value that can be the answer to a question with this method. */
export function isInputResponse(method: string, value: unknown): value is InputResponse {
  const check = shapes.get(method);
  return check?.(value) ?? false;
}

/** True for a value that can be the answer to some question. */
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
