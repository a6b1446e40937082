/** HTTP requests of 2026-07-28 as attackers and others send them. */

import { request } from 'node:http';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'attacker', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The body of a request. */
export function bodyOf(method: string, params: object = {}, id: number | string = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } });
}

/** Sends a request and reads its whole response. The name or a short URI is repeated in `Mcp-Name`, as the revision demands. */
export function post(
  port: number,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const body = bodyOf(method, params);
  return new Promise((resolve, reject) => {
    const fields = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...('name' in params ? { 'mcp-name': String(params.name) } : {}),
      ...('uri' in params && String(params.uri).length < 4096 ? { 'mcp-name': String(params.uri) } : {}),
      ...headers,
    };
    const out = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers: fields }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text })).once('error', reject);
    });
    out.once('error', reject);
    out.end(body);
  });
}
