/** Parses responses of authorization servers: JSON objects, OAuth errors, and text for users. */

import { isObject } from '../../jsonrpc/message.ts';
import { AuthError } from '../errors.ts';
import type { OAuthResponse } from './exchange.ts';

/** A JSON object that is not validated. */
export type JsonObject = Readonly<Record<string, unknown>>;

export interface ExpectedAnswer {
  /** Name of the endpoint in error messages, such as `The token endpoint`. */
  readonly who: string;
  /** HTTP statuses of a successful response. */
  readonly statuses: readonly number[];
  /** String field of every successful response. A 200 response without it but with `error` is an error. */
  readonly field: string;
  /** Advice at the end of the error message if the request failed. */
  readonly advice?: string;
}

const JSON_TYPE = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const TOO_EARLY = [408, 425, 429];
const PASSING = ['server_error', 'temporarily_unavailable'];
const ERROR_CODE = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;
// Control characters, direction marks, lone surrogates and separators, which could forge terminal or log output.
const UNSEEN = /[\p{C}\p{Z}]+/gu;
const LONG_RUN = /[\w~+-]{20,}/g;

/** Returns the JSON object of a metadata document. Throws an `AuthError` unless the status is 200 and the type is JSON. */
export function documentIn(response: OAuthResponse, who: string): JsonObject {
  refuseRedirect(response, who);
  if (response.status !== 200) throw unexpectedStatus(response, who, '200', isPassing(response.status));
  return objectIn(response, who, false);
}

/** Returns the JSON object of a successful response. Throws an `AuthError` with the OAuth error code of an error response. */
export function answerIn(response: OAuthResponse, expected: ExpectedAnswer): JsonObject {
  const { who, statuses, field, advice } = expected;
  refuseRedirect(response, who);
  const isSuccess = statuses.includes(response.status);
  const fields = parsed(response.body);
  if (fields && typeof fields['error'] === 'string' && !(isSuccess && typeof fields[field] === 'string')) {
    throw refusal(who, fields, { status: response.status, advice });
  }
  // A body that is not JSON comes from an intermediary, such as a proxy, and not from the authorization server.
  const isRetryable = fields === undefined || isPassing(response.status);
  if (!isSuccess) throw unexpectedStatus(response, who, statuses.join(' or '), isRetryable, advice);
  return objectIn(response, who, true);
}

/** Converts an OAuth error response into an `AuthError` with its code and its sanitized description. */
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

export function invalidAnswer(who: string, fault: string): AuthError {
  return new AuthError('invalid_response', `${who} answered something unusable: ${fault}`);
}

/** Returns a field that must be a non-empty string; otherwise throws an `AuthError`. */
export function stringIn(fields: JsonObject, name: string, who: string): string {
  const value = optionalString(fields, name);
  if (value === undefined) throw invalidAnswer(who, `"${name}" must be a string that is not empty`);
  return value;
}

/** Returns a field if it is a non-empty string, else undefined. */
export function optionalString(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Parses a number of seconds, which some servers send as a string. Undefined if it is invalid. */
export function secondsIn(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && seconds >= 0 && seconds < 1e12 ? seconds : undefined;
}

/** Sanitizes a server's text for messages: one line of at most `limit` visible characters, without likely secrets. */
export function cleanText(text: unknown, limit = 200): string | undefined {
  if (typeof text !== 'string') return undefined;
  const line = text.slice(0, 4096).replace(UNSEEN, ' ').trim();
  const shown = line.replace(LONG_RUN, (run) => (/\d/.test(run) || run.length > 40 ? '[...]' : run));
  if (shown === '') return undefined;
  return shown.length > limit ? `${shown.slice(0, limit).replace(UNSEEN, ' ').trimEnd()}...` : shown;
}

/** Returns an error code that has the syntax of RFC 6749; undefined for other values. */
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

// A redirect could send a code or a secret to another server.
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
