/** Resources: text, bytes, a family of them, and one to subscribe to. */

import type { McpServer } from 'mcpp/server';
import { PIXEL } from './samples.ts';

/** Registers them. */
export function addResources(server: McpServer): void {
  server.registerResource(
    'test://static-text',
    { name: 'static-text', description: 'Text that never changes', mimeType: 'text/plain' },
    () => 'This is the content of the static text resource.',
  );

  server.registerResource(
    'test://static-binary',
    { name: 'static-binary', description: 'A picture', mimeType: 'image/png' },
    () => Buffer.from(PIXEL, 'base64'),
  );

  server.registerResource(
    'test://watched-resource',
    { name: 'watched-resource', description: 'Something to subscribe to', mimeType: 'text/plain' },
    () => 'Watched resource content',
  );

  server.registerResourceTemplate(
    'test://template/{id}/data',
    { name: 'template', description: 'Data by id', mimeType: 'application/json' },
    ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  );
}
