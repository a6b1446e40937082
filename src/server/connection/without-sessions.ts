/** `withoutSessions`: serves stateful revisions over HTTP without sessions, by removing the features that need a session. */

import type { ServerCapabilities } from '../../protocol/model/capabilities.ts';
import type { ServerInfo } from '../../protocol/revision.ts';
import type { ServerInternals } from '../internals.ts';

/** Returns the server without logging, subscriptions and change notifications: they need sessions. Their methods get -32601. */
export function withoutSessions(server: ServerInternals): ServerInternals {
  const { serverInfo } = server;
  // All other members are inherited, not copied, because their values change when tools, prompts or resources are registered.
  const reduced: ServerInfo = Object.create(serverInfo, {
    capabilities: { get: () => withoutChanges(serverInfo.capabilities) },
    declaredIn: {
      value: (...of: Parameters<ServerInfo['declaredIn']>) => withoutChanges(serverInfo.declaredIn(...of)),
    },
  });
  return Object.create(server, { serverInfo: { value: reduced } });
}

function withoutChanges({ logging: _, ...capabilities }: ServerCapabilities): ServerCapabilities {
  const { tools, prompts, resources } = capabilities;
  return {
    ...capabilities,
    ...(tools && { tools: without(tools) }),
    ...(prompts && { prompts: without(prompts) }),
    ...(resources && { resources: without(resources) }),
  };
}

function without({
  listChanged: _l,
  subscribe: _s,
  ...settings
}: NonNullable<ServerCapabilities['resources']>): object {
  return settings;
}
