/** Forms a server asks to have filled in, and the answers to them. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { printable } from '../jsonrpc/printable.ts';
import { isInputResponse } from '../protocol/input-requests.ts';
import type { ElicitResult } from '../protocol/model/elicitation.ts';
import type { CheckedSchema } from '../schema/check/checked-schema.ts';
import { receivedSchema } from '../schema/check/received-schema.ts';
import { pointer } from '../schema/json-pointer.ts';
import { describeProblems, type Problem, problem } from '../schema/problems.ts';

/** A form, ready for checking what is filled in. */
export interface ReceivedForm {
  /** The rules for the whole of it. */
  readonly schema: CheckedSchema;
  /** The schema of each field, by its name. */
  readonly fields: ReadonlyMap<string, unknown>;
}

type Content = NonNullable<ElicitResult['content']>;
type Filled = readonly [name: string, value: Content[string]];

/** Makes a `requestedSchema` ready, or throws what the server is told: nobody should fill in a form in vain. */
export function receivedForm(requestedSchema: unknown): ReceivedForm {
  if (!isObject(requestedSchema) || requestedSchema['type'] !== 'object' || !isObject(requestedSchema['properties'])) {
    throw RpcError.invalidParams('"requestedSchema" must be an object schema with properties');
  }
  const received = receivedSchema(requestedSchema);
  if ('schema' in received) {
    return { schema: received.schema, fields: new Map(Object.entries(requestedSchema['properties'])) };
  }
  const { path, message } = received.fault;
  throw RpcError.invalidParams(
    `"requestedSchema" cannot be used: ${printable(path === '' ? message : `${path} ${message}`)}`,
  );
}

/** What a handler answered to a form, as it may be sent; a TypeError says what is wrong with it. */
export async function formAnswer(form: ReceivedForm, given: unknown): Promise<ElicitResult> {
  const action = actionOf(given);
  // Who declines sends nothing, whatever was filled in by then.
  if (action !== 'accept') return { action };
  if (!isInputResponse('elicitation/create', given)) throw new TypeError('onElicit: the "content" must be an object');
  const { content: filled = {} } = given as ElicitResult;
  const answered = Object.entries(filled).filter(([, value]) => value !== undefined);
  const defaults = defaultsFor(form, new Set(answered.map(([name]) => name)));
  let content = Object.fromEntries([...answered, ...defaults]);
  let problems = await problemsOf(form, content);
  // A default that breaks the rules of its own field, such as an empty address, is none.
  const usable = defaults.filter(([name]) => !problems.some(({ path }) => isIn(path, name)));
  if (usable.length < defaults.length) {
    content = Object.fromEntries([...answered, ...usable]);
    problems = await problemsOf(form, content);
  }
  if (problems.length === 0) return { action, content };
  throw new TypeError(`onElicit: the answer does not follow the form: ${printable(describeProblems(problems), 4096)}`);
}

/** What a handler answered to a question by URL: consent or not, and nothing else. */
export function urlAnswer(given: unknown): ElicitResult {
  return { action: actionOf(given) };
}

function actionOf(given: unknown): ElicitResult['action'] {
  const answer = isObject(given) ? { action: given['action'] } : undefined;
  if (isInputResponse('elicitation/create', answer)) return (answer as unknown as ElicitResult).action;
  throw new TypeError('onElicit: the answer must be an object whose "action" is "accept", "decline" or "cancel"');
}

function defaultsFor({ fields }: ReceivedForm, answered: ReadonlySet<string>): Filled[] {
  return [...fields].flatMap(([name, field]) => {
    if (answered.has(name) || !isObject(field) || field['default'] === undefined) return [];
    return [[name, field['default'] as Content[string]]];
  });
}

async function problemsOf({ schema, fields }: ReceivedForm, content: Content): Promise<readonly Problem[]> {
  const checked = await schema.check(content);
  const found = checked.ok ? [] : checked.problems;
  const more = Object.entries(content).flatMap(([name, value]) => {
    const message = valueFault(value) ?? formatFault(fields.get(name), value);
    return message && !found.some(({ path }) => isIn(path, name)) ? [problem(pointer('', name), message)] : [];
  });
  return [...found, ...more];
}

function isIn(path: string, name: string): boolean {
  // Long paths are cut, and so must be what they are compared with.
  const field = problem(pointer('', name), '').path;
  return path === field || path.startsWith(`${field}/`);
}

// A form is flat, whatever else its schema may let pass.
function valueFault(value: unknown): string | undefined {
  const fits =
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    Number.isFinite(value) ||
    (Array.isArray(value) && value.every((one) => typeof one === 'string'));
  return fits ? undefined : 'must be a string, a number, a boolean or an array of strings';
}

// Received schemas are checked without formats; these four are all that forms have. They find slips, not every fault.
const FORMATS: ReadonlyMap<unknown, { readonly fits: (text: string) => boolean; readonly expected: string }> = new Map([
  ['email', { fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text), expected: 'must be an email address' }],
  ['uri', { fits: isUri, expected: 'must be a URI with its scheme' }],
  ['date', { fits: isDate, expected: 'must be a date such as 2026-07-28' }],
  ['date-time', { fits: isDateTime, expected: 'must be a time with its zone such as 2026-07-28T09:30:00Z' }],
]);

function formatFault(field: unknown, value: unknown): string | undefined {
  const format = isObject(field) ? FORMATS.get(field['format']) : undefined;
  return format && typeof value === 'string' && !format.fits(value) ? format.expected : undefined;
}

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && URL.canParse(text);
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  // The 30th of February is read as the 2nd of March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [, date = '', hour, minute, second] =
    /^([\d-]{10})T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.exec(text) ?? [];
  // A minute may have a leap second.
  return isDate(date) && Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 60;
}
