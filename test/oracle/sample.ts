/** A sample message, and the pieces samples are made of. */

import type { SchemaRevision, Side } from './definitions.ts';

/** A message, and what it takes to judge it. */
export interface Sample {
  readonly what: string;
  readonly from: Side;
  readonly message: unknown;
  /** The method of the request it answers. */
  readonly answers?: string;
  /** The methods of the questions it answers, by key. */
  readonly asked?: Readonly<Record<string, string>>;
  /** Only these; otherwise every revision of the family. */
  readonly revisions?: readonly SchemaRevision[];
}

/** `_meta` of a stateless request. */
export const CALLER: object = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

export const server: object = { name: 'server', version: '1' };
export const text: object = { type: 'text', text: 'Hello' };
export const opening: object = { capabilities: {}, clientInfo: { name: 'client', version: '1' } };
export const elicit: object = {
  message: 'Name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
};
export const sampled: object = { role: 'assistant', content: text, model: 'm' };

/** A request, with the id 1. */
export function request(method: string, params?: object): object {
  return params ? { jsonrpc: '2.0', id: 1, method, params } : { jsonrpc: '2.0', id: 1, method };
}

export function notification(method: string, params?: object): object {
  return params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method };
}

/** The result of that request. */
export function result(value: object): object {
  return { jsonrpc: '2.0', id: 1, result: value };
}

/** The error that request gets. */
export function refusal(code: number, data?: object): object {
  return { jsonrpc: '2.0', id: 1, error: data ? { code, message: 'No', data } : { code, message: 'No' } };
}
