/** What authorization servers answer, read alike by every step: JSON objects, OAuth errors, and text meant for people. */

import { isObject } from '../../jsonrpc/message.ts';
import { AuthError } from '../errors.ts';
import type { OAuthResponse } from './exchange.ts';

/** A JSON object of somebody else's making. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What an answer has to be. */
export interface ExpectedAnswer {
  /** Who answers, as errors name it: `The token endpoint`. */
  readonly who: string;
  /** The statuses of a success. */
  readonly statuses: readonly number[];
  /** The field that every success has, as a string: without it, and with `error`, a 200 is an error too. */
  readonly field: string;
  /** What to do about a refusal; the end of its message. */
  readonly advice?: string;
}

const JSON_TYPE = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const TOO_EARLY = [408, 425, 429];
const PASSING = ['server_error', 'temporarily_unavailable'];
const ERROR_CODE = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;
// Controls, direction marks, lone surrogates, line separators: nothing that could dress up a terminal or a log.
const UNSEEN = /[\p{C}\p{Z}]+/gu;
const LONG_RUN = /[\w~+-]{20,}/g;

/** The JSON object of a published document: status 200 and a JSON content type; an `AuthError` that says what came instead. */
export function documentIn(response: OAuthResponse, who: string): JsonObject {
  refuseRedirect(response, who);
  if (response.status !== 200) throw unexpectedStatus(response, who, '200', isPassing(response.status));
  return objectIn(response, who, false);
}

/** The JSON object of a success; a refusal becomes an `AuthError` with the code that the answer gives. */
export function answerIn(response: OAuthResponse, expected: ExpectedAnswer): JsonObject {
  const { who, statuses, field, advice } = expected;
  refuseRedirect(response, who);
  const isSuccess = statuses.includes(response.status);
  const fields = parsed(response.body);
  if (fields && typeof fields['error'] === 'string' && !(isSuccess && typeof fields[field] === 'string')) {
    throw refusal(who, fields, { status: response.status, advice });
  }
  // What is not JSON was not said by the server but by something on the way to it.
  const isRetryable = fields === undefined || isPassing(response.status);
  if (!isSuccess) throw unexpectedStatus(response, who, statuses.join(' or '), isRetryable, advice);
  return objectIn(response, who, true);
}

/** What an error of the OAuth kind becomes: its code, and its description as far as it can be shown. */
export function refusal(
  who: string,
  fields: JsonObject,
  { status, advice }: { readonly status?: number; readonly advice?: string | undefined } = {},
): AuthError {
  const code = errorCodeIn(fields['error']) ?? 'unknown_error';
  const description = cleanText(fields['error_description']);
  const said = description === undefined ? code : `${code} (${description})`;
  const isRetryable = PASSING.includes(code) || (status !== undefined && isPassing(status));
  return new AuthError(code, `${who} refused: ${said}${advice ? `. ${advice}` : ''}`, { isRetryable });
}

/** An answer that can be read but is not what it has to be. */
export function invalidAnswer(who: string, fault: string): AuthError {
  return new AuthError('invalid_response', `${who} answered something unusable: ${fault}`);
}

/** A field that has to be a string with something in it. */
export function stringIn(fields: JsonObject, name: string, who: string): string {
  const value = optionalString(fields, name);
  if (value === undefined) throw invalidAnswer(who, `"${name}" must be a string that is not empty`);
  return value;
}

/** A field that may be missing, empty or null. */
export function optionalString(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A number of seconds, which some write as a string. */
export function secondsIn(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && seconds >= 0 && seconds < 1e12 ? seconds : undefined;
}

/**
 * Text of a stranger for people: on one line, without invisible characters, not long. What looks like a token, a code or
 * a secret is left out, since some servers repeat what they were sent.
 */
export function cleanText(text: unknown, limit = 200): string | undefined {
  if (typeof text !== 'string') return undefined;
  const line = text.slice(0, 4096).replace(UNSEEN, ' ').trim();
  const shown = line.replace(LONG_RUN, (run) => (/\d/.test(run) || run.length > 40 ? '[...]' : run));
  if (shown === '') return undefined;
  return shown.length > limit ? `${shown.slice(0, limit).replace(UNSEEN, ' ').trimEnd()}...` : shown;
}

/** An error code as the RFCs write them; undefined for anything else. */
export function errorCodeIn(value: unknown): string | undefined {
  return typeof value === 'string' && ERROR_CODE.test(value) && cleanText(value) === value ? value : undefined;
}

function objectIn(response: OAuthResponse, who: string, isRetryable: boolean): JsonObject {
  const isJson = JSON_TYPE.test(response.header('content-type') ?? '');
  if (!isJson)
    throw new AuthError('not_json', `${who} answered something that is not application/json`, { isRetryable });
  const fields = parsed(response.body);
  if (!fields) throw new AuthError('not_json', `${who} answered something that is no JSON object`, { isRetryable });
  return fields;
}

function parsed(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// A redirect could carry a code or a secret to anywhere.
function refuseRedirect({ status }: OAuthResponse, who: string): void {
  if (status < 300 || status > 399 || status === 304) return;
  throw new AuthError('redirected', `${who} answered with a redirect (status ${status}), and none is followed`);
}

function unexpectedStatus(
  { status }: OAuthResponse,
  who: string,
  expected: string,
  isRetryable: boolean,
  advice?: string,
): AuthError {
  const message = `${who} answered status ${status} instead of ${expected}`;
  return new AuthError('unexpected_status', `${message}${advice ? `. ${advice}` : ''}`, { isRetryable });
}

function isPassing(status: number): boolean {
  return status >= 500 || TOO_EARLY.includes(status);
}
