/** Tools that answer at once, one for each kind of content. */

import { type McpServer, ToolError } from 'mcpp/server';
import { audio, image, text } from './samples.ts';

/** Registers them. */
export function addContent(server: McpServer): void {
  server.registerTool(
    'test_simple_text',
    { description: 'Answers with text' },
    () => 'This is a simple text response for testing.',
  );

  server.registerTool('test_image_content', { description: 'Answers with an image' }, () => image);

  server.registerTool('test_audio_content', { description: 'Answers with a sound' }, () => audio);

  server.registerTool('test_embedded_resource', { description: 'Answers with a resource' }, () => ({
    type: 'resource',
    resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource.' },
  }));

  server.registerTool('test_multiple_content_types', { description: 'Answers with several kinds of content' }, () => [
    text('Multiple content types test:'),
    image,
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: JSON.stringify({ test: 'data', value: 123 }),
      },
    },
  ]);

  server.registerTool('test_error_handling', { description: 'Always fails, and says so to the model' }, () => {
    throw new ToolError('This tool intentionally returns an error for testing');
  });
}
