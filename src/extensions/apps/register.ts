/** `registerAppTool`: registers a tool together with the view that shows its results. */

import type { Meta } from '../../entries/mcpp.ts';
import type {
  AnyResult,
  AnySchema,
  Context,
  InferInput,
  InferOutput,
  McpServer,
  NoArguments,
  ToolConfig,
  ToolDefinition,
  ToolType,
} from '../../entries/server.ts';
import { canShowApps } from './extension.ts';
import { withText } from './text.ts';
import { type AppView, readyView } from './view.ts';
import { type AppVisibility, FLAT_URI_KEY, USERS } from './words.ts';

/** Configuration of `registerAppTool`: the options of `registerTool`, and options of MCP Apps. */
export interface AppToolConfig<I extends AnySchema = AnySchema, O extends AnySchema = AnySchema>
  extends ToolConfig<I, O> {
  /** View that hosts show with the results. Default: none, for tools that only views call. */
  readonly ui?: AppView;
  /**
   * Callers that may use the tool. Default: `['model', 'app']`. Without `'model'`, the tool is hidden from clients that cannot
   * show views, because they would offer the tool to their model. The option `visible` overrides this rule.
   */
  readonly visibility?: readonly AppVisibility[];
  /** Text for the model if the handler returns no `content`. Needs an `outputSchema`. Default: structured content as JSON. */
  readonly text?: (output: NoInfer<InferInput<O>>, ctx: Context) => string;
}

type Output<O> = O extends AnyResult ? unknown : InferOutput<O>;

/** Registered views of each server, by URI. Tools that share a view object share its resource. */
const viewsOf = new WeakMap<object, Map<string, AppView>>();

/** Registers a tool, and its view as a resource. Returns the server, typed with the tool, like `registerTool`. */
export function registerAppTool<
  Tools,
  const N extends string,
  const I extends AnySchema = NoArguments,
  const O extends AnySchema = AnyResult,
>(
  server: McpServer<Tools>,
  name: N,
  config: AppToolConfig<I, O>,
  handler: NoInfer<ToolDefinition<I, O>['call']>,
): McpServer<Tools & { readonly [K in N]: ToolType<InferInput<I>, Output<O>> }> {
  checkConfig(name, config);
  const { ui, visibility, text, ...tool } = config;
  const view = ui && viewFor(server, name, ui, tool.replace === true);
  const visible = tool.visible ?? (visibility && !visibility.includes('model') ? canShowApps : undefined);
  const registered = {
    ...tool,
    ...(visible && { visible }),
    _meta: { ...tool._meta, ...metaOf(view?.uri, visibility) },
  };
  const call = text && typeof handler === 'function' ? withText(handler, text as never) : handler;
  const isNew = !server.tools.has(name);
  server.registerTool(name, registered as ToolConfig, call as never);
  // The view is registered after the tool, so that a refused tool leaves no resource. A refused view removes a new tool again.
  try {
    view?.register();
  } catch (error) {
    if (isNew) server.tools.remove(name);
    throw error;
  }
  return server as never;
}

function checkConfig(name: string, { ui, visibility, text, outputSchema, _meta }: AppToolConfig): void {
  const wrong = (fault: string): TypeError => new TypeError(`Tool "${name}": ${fault}`);
  if (ui === undefined && visibility === undefined) {
    throw wrong('a tool of an app has "ui", "visibility" or both; any other is registered with registerTool');
  }
  if (visibility !== undefined && !isVisibility(visibility)) {
    throw wrong('visibility must be a list of "model", "app" or both');
  }
  if (text !== undefined && typeof text !== 'function') throw wrong('text must be a function');
  if (text !== undefined && outputSchema === undefined) throw wrong('text needs an outputSchema');
  for (const key of ['ui', FLAT_URI_KEY]) {
    if (_meta?.[key] !== undefined) throw wrong(`_meta["${key}"] is made of "ui" and "visibility"`);
  }
}

function isVisibility(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size < value.length) return false;
  return value.every((user) => USERS.includes(user));
}

function metaOf(uri: string | undefined, visibility: readonly AppVisibility[] | undefined): Meta {
  const shown = visibility && { visibility: [...visibility] };
  return uri === undefined ? { ui: { ...shown } } : { ui: { resourceUri: uri, ...shown }, [FLAT_URI_KEY]: uri };
}

/** Returns the URI of a view, and a function that registers the view as a resource unless it is registered already. */
function viewFor(
  server: McpServer<unknown>,
  name: string,
  ui: AppView,
  replace: boolean,
): { readonly uri: string; register(): void } {
  const views = viewsOf.get(server) ?? new Map<string, AppView>();
  for (const [uri, view] of views) if (view === ui && server.resources.has(uri)) return { uri, register() {} };
  const { uri, config, read } = readyView(`Tool "${name}"`, ui, `ui://${name}/view.html`);
  if (!replace && server.resources.has(uri)) {
    const hint = 'tools that share a view are given the same object as "ui"';
    throw new TypeError(`Tool "${name}": there is a resource "${uri}" already; ${hint}`);
  }
  return {
    uri,
    register() {
      server.registerResource(uri, { ...config, replace }, (_uri, ctx) => read(ctx));
      viewsOf.set(server, views.set(uri, ui));
    },
  };
}
