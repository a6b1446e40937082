/** `mcpp/extensions/apps`: tools with a user interface (MCP Apps), for servers and hosts. */

export { type AppsClient, apps, canShowApps } from '../../extensions/apps/extension.ts';
export { appOf, isForApp, isForModel, readApp, type ShownApp, type ToolApp } from '../../extensions/apps/host.ts';
export { type AppToolConfig, registerAppTool } from '../../extensions/apps/register.ts';
export type { AppView } from '../../extensions/apps/view.ts';
export {
  APP_MIME_TYPE,
  type AppCsp,
  type AppPermissions,
  type AppSettings,
  type AppVisibility,
} from '../../extensions/apps/words.ts';
