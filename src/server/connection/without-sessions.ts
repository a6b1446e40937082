/** `withoutSessions`: serves stateful revisions over HTTP without storing sessions. */

import type { ServerCapabilities } from '../../protocol/model/capabilities.ts';
import type { ServerInfo } from '../../protocol/revision.ts';
import type { ServerInternals } from '../internals.ts';

/**
 * Returns the same server without the capabilities that need a session: change notifications, subscriptions and logging. Their
 * methods get "method not found", and `ctx.log` sends nothing.
 */
export function withoutSessions(server: ServerInternals): ServerInternals {
  const { serverInfo } = server;
  // Other members are inherited instead of copied, since tools, prompts and resources can be registered later.
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
