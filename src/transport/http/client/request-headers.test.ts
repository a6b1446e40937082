import type { Message, Request } from 'mcpp';
import { expect, test } from 'vitest';
import { canResumeFrom, mergedHeaders, messageHeaders, streamHeaders } from './request-headers.ts';
import { HttpSession } from './session.ts';

const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function session(protocolVersion: string, id: string | undefined): HttpSession {
  const opened = new HttpSession();
  const request: Request = { jsonrpc: '2.0', id: 1, method: 'initialize' };
  opened.begin(request);
  opened.offer(id);
  opened.take({ jsonrpc: '2.0', id: 1, result: { protocolVersion } });
  return opened;
}

const claimed = (method: string, params: object = {}): Message => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { ...params, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
});

test('a message that says its version has it in a header, with its method and what it is about', () => {
  expect(messageHeaders(claimed('tools/call', { name: ' a ' }), new HttpSession())).toEqual({
    ...TYPES,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': '=?base64?IGEg?=',
  });
  expect(messageHeaders(claimed('tools/list'), session('2025-11-25', 's'))).toEqual({
    ...TYPES,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  });
});

test('a message that does not belongs to the session', () => {
  const messages: Message[] = [
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a' } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ];
  for (const message of messages) {
    expect(messageHeaders(message, new HttpSession())).toEqual(TYPES);
    expect(messageHeaders(message, session('2025-03-26', 's'))).toEqual({ ...TYPES, 'mcp-session-id': 's' });
    expect(messageHeaders(message, session('2025-06-18', undefined))).toEqual({
      ...TYPES,
      'mcp-protocol-version': '2025-06-18',
    });
  }
});

test('a session is open when initialize was answered with a result, and is not before', () => {
  const opened = new HttpSession();
  opened.begin({ jsonrpc: '2.0', id: 1, method: 'initialize' });
  opened.offer('s');
  opened.take({ jsonrpc: '2.0', id: 2, result: { protocolVersion: '2025-11-25' } });
  expect([opened.isOpen, opened.id]).toEqual([false, undefined]);
  opened.take({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } });
  expect([opened.isOpen, opened.id]).toEqual([false, undefined]);
});

test('a stream goes on behind an event whose id a header can carry', () => {
  expect(streamHeaders(session('2025-11-25', 's'), 'e1')).toEqual({
    accept: 'text/event-stream',
    'mcp-session-id': 's',
    'mcp-protocol-version': '2025-11-25',
    'last-event-id': 'e1',
  });
  for (const id of ['1', 'a b', 'ü']) expect(canResumeFrom(id)).toBe(true);
  for (const id of ['', 'a\tb', '\u0000', '\u007f', 'x'.repeat(1025)]) expect(canResumeFrom(id)).toBe(false);
});

test('what users add comes in order, without regard to case, and cannot touch the protocol’s own', () => {
  const own = { accept: 'a', 'mcp-method': 'm' };
  expect(mergedHeaders(own, undefined, undefined)).toBe(own);
  const added = [{ 'X-A': '1', Accept: 'b' }, { 'x-a': '2', 'MCP-Method': 'n' }, { 'Content-Length': '1' }];
  expect(mergedHeaders(own, ...added)).toEqual({ 'x-a': '2', accept: 'a', 'mcp-method': 'm' });
});
