/** Validates the form of an elicitation request, and the result of `onElicit` for it. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { printable } from '../jsonrpc/printable.ts';
import { isInputResponse } from '../protocol/input-responses.ts';
import type { ElicitResult } from '../protocol/model/elicitation.ts';
import type { CheckedSchema } from '../schema/check/checked-schema.ts';
import { receivedSchema } from '../schema/check/received-schema.ts';
import { pointer } from '../schema/json-pointer.ts';
import { describeProblems, type Problem, problem } from '../schema/problems.ts';

/** The form of an elicitation request, prepared for validating the input. */
export interface ReceivedForm {
  readonly schema: CheckedSchema;
  /** Schemas of the fields, by name. */
  readonly fields: ReadonlyMap<string, unknown>;
}

type Content = NonNullable<ElicitResult['content']>;
type Filled = readonly [name: string, value: Content[string]];

/** Prepares a `requestedSchema`. Throws invalid params (-32602) before the user sees a form that cannot be validated. */
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

/** Returns the elicitation result with defaults for omitted fields. Throws a TypeError if the handler's result is invalid. */
export async function formAnswer(form: ReceivedForm, given: unknown): Promise<ElicitResult> {
  const action = actionOf(given);
  // `decline` and `cancel` must not send content, even if fields were filled in.
  if (action !== 'accept') return { action };
  if (!isInputResponse('elicitation/create', given)) throw new TypeError('onElicit: the "content" must be an object');
  const { content: filled = {} } = given as ElicitResult;
  const answered = Object.entries(filled).filter(([, value]) => value !== undefined);
  const defaults = defaultsFor(form, new Set(answered.map(([name]) => name)));
  let content = Object.fromEntries([...answered, ...defaults]);
  let problems = await problemsOf(form, content);
  // Defaults that violate their own field's schema are left out, for instance an empty string for an email address.
  const usable = defaults.filter(([name]) => !problems.some(({ path }) => isIn(path, name)));
  if (usable.length < defaults.length) {
    content = Object.fromEntries([...answered, ...usable]);
    problems = await problemsOf(form, content);
  }
  if (problems.length === 0) return { action, content };
  throw new TypeError(`onElicit: the answer does not follow the form: ${printable(describeProblems(problems), 4096)}`);
}

/** Returns the result of a URL elicitation, which has only an `action`. */
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
  // Compares truncated paths, because `problem` truncates long ones.
  const field = problem(pointer('', name), '').path;
  return path === field || path.startsWith(`${field}/`);
}

// Forms are flat: the specification allows no other values, even if the schema accepts them.
function valueFault(value: unknown): string | undefined {
  const fits =
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    Number.isFinite(value) ||
    (Array.isArray(value) && value.every((one) => typeof one === 'string'));
  return fits ? undefined : 'must be a string, a number, a boolean or an array of strings';
}

// Schemas from a server are validated without `format`. These are the four formats of forms, checked only roughly.
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
  // `Date` reads February 30 as March 2, so the result is compared with the input.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [, date = '', hour, minute, second] =
    /^([\d-]{10})T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.exec(text) ?? [];
  // Second 60 is a leap second (RFC 3339).
  return isDate(date) && Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 60;
}
