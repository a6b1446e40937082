/** What can be an answer to a question, judged by its shape. */

/** An object of JSON, not a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Check = (answer: Readonly<Record<string, unknown>>) => boolean;

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel'];

const SHAPES: ReadonlyMap<string, Check> = new Map<string, Check>([
  [
    'elicitation/create',
    ({ action, content }) => ACTIONS.includes(action) && (content === undefined || isObject(content)),
  ],
  [
    'sampling/createMessage',
    ({ role, content, model }) => typeof role === 'string' && typeof model === 'string' && isContent(content),
  ],
  ['roots/list', ({ roots }) => Array.isArray(roots) && roots.every(isObject)],
]);

/** True for what can be the answer to a question with this method. Its content is for the handler to check. */
export function fits(method: string, answer: unknown): answer is Readonly<Record<string, unknown>> {
  return isObject(answer) && (SHAPES.get(method)?.(answer) ?? false);
}

function isContent(content: unknown): boolean {
  return Array.isArray(content) ? content.every(isObject) : isObject(content);
}
