/** The client of version 1 of the official SDK, made to look like this package's, as far as the checks look. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { look } from './look.mjs';

/** Connects over stdio to a program (`{ command, args, env }`), else to a URL over HTTP+SSE or Streamable HTTP. */
export async function connectV1(target, answers, { sse = false } = {}) {
  const client = new Client(
    { name: 'sdk-v1', version: '1.0.0' },
    { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
  );
  client.setRequestHandler(ElicitRequestSchema, () => answers.onElicit());
  client.setRequestHandler(CreateMessageRequestSchema, () => answers.onSample());
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: answers.roots }));
  const transport = transportTo(target, sse);
  // It keeps to itself what was agreed on, but tells the transport.
  let revision;
  const tell = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    revision = version;
    tell?.(version);
  };
  await client.connect(transport);

  return look(client, transport, {
    revision,
    callTool: (name, args, { onProgress, signal } = {}) =>
      client.callTool({ name, arguments: args }, undefined, { onprogress: onProgress, signal }),
    async watch(what, listener) {
      if (what === 'tools') client.setNotificationHandler(ToolListChangedNotificationSchema, listener);
      else {
        client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => listener(params));
        if (what !== undefined) await client.subscribeResource({ uri: what });
      }
      return async () => {
        if (what !== 'tools' && what !== undefined) await client.unsubscribeResource({ uri: what });
      };
    },
  });
}

function transportTo(target, sse) {
  if (typeof target === 'object') return new StdioClientTransport(target);
  return sse ? new SSEClientTransport(new URL(target)) : new StreamableHTTPClientTransport(new URL(target));
}
