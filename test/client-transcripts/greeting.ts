/** How each revision is greeted, to the letter, for the conversations that are about something else. */

import { type Caller, opening, spread } from '../transcripts/fragments.ts';

/** What the client says, what it is answered, and what it says to that. */
export interface Greeting {
  readonly request: unknown;
  readonly result: unknown;
  readonly after: unknown;
}

/** The greeting of a client that wants log messages of this level, by a server with these capabilities. */
export function greetingOf(caller: Caller, capabilities: unknown, logLevel: string | undefined): Greeting {
  const { revision } = caller;
  const request = { jsonrpc: '2.0', id: '<any>' };
  if (revision !== '2026-07-28') {
    const serverInfo = { name: 'transcripts', version: '1.0.0' };
    return {
      request: { ...request, method: 'initialize', params: opening(caller) },
      result: { protocolVersion: revision, capabilities, serverInfo },
      after: { jsonrpc: '2.0', method: 'notifications/initialized' },
    };
  }
  const level = logLevel === undefined ? {} : { 'io.modelcontextprotocol/logLevel': logLevel };
  const params = { _meta: { ...level, '...': 'caller' } };
  return {
    request: spread({ ...request, method: 'server/discover', params }, caller),
    result: spread({ supportedVersions: [revision], capabilities, '...': 'discovered' }, caller),
    after: undefined,
  };
}
