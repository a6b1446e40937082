/** A server as clients of stateful revisions see it where no sessions are kept: it declares only what it can do. */

import type { ServerCapabilities } from '../../protocol/model/capabilities.ts';
import type { ServerInfo } from '../../protocol/revision.ts';
import type { ServerInternals } from '../internals.ts';

/**
 * The same server without what needs a session: change notifications, subscriptions and a log level. Their methods do not
 * exist, and handlers cannot log to the client.
 */
export function withoutSessions(server: ServerInternals): ServerInternals {
  const { host } = server;
  // What is not overridden is read from the server when it is asked for: features can be registered later.
  const reduced: ServerInfo = Object.create(host, {
    capabilities: { get: () => withoutChanges(host.capabilities) },
    declaredIn: { value: (...of: Parameters<ServerInfo['declaredIn']>) => withoutChanges(host.declaredIn(...of)) },
  });
  return Object.create(server, { host: { value: reduced } });
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
