/** The public names: which there are, so that adding one is a visible decision, and that each says what it is. */

import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { LOGGING_LEVELS } from '../src/protocol/model/logging.ts';
import { type Declaration, declarationsOf, readCode, reexportsOf } from './source-code.ts';

/** Every name that can be imported, by entry: values first, then types. */
const NAMES: Readonly<Record<string, { readonly values: string; readonly types: string }>> = {
  mcpp: {
    values: `
      ConnectionError ErrorCode LATEST_VERSION McpError McpErrorCode McpServer MetaKey ParseError RpcError ToolError
      audio checkMessage connect defineTool image isErrorResponse isInputResponse isMcpError isNotification isRequest
      isResponse memoryPair parseMessage parsePayload printable serialize serializeLine text`,
    types: `
      Annotations AudioContent BlobResourceContents CallToolResult Change ClientCapabilities ClientCapabilityName
      CompleteResult Completion CompletionReference ConnectionErrorCode ContentBlock CreateMessageParams
      CreateMessageResult ElicitField ElicitForm ElicitFormParams ElicitResult ElicitUrlParams EmbeddedResource
      ErrorObject ErrorResponse ExtensionDefinition GetPromptResult Icon Id ImageContent Implementation InputRequest
      InputResponse JsonLimits JsonSchemaObject ListRootsResult LogMessage LoggingLevel Message Meta ModelPreferences
      Notification Params ParseErrorCode Payload Principal ProcessEnd Prompt PromptArgument PromptMessage
      ProtocolVersion ReadResourceResult Receiver Request Resource ResourceContents ResourceLink ResourceTemplate
      Response ResultResponse Role Root SamplingContent SamplingMessage SendOptions ServerCapabilities Settings
      SubscriptionFilter TextContent TextResourceContents Tool ToolAnnotations ToolResultContent ToolUseContent Trace
      Transport`,
  },
  server: {
    values: `
      McpServer RpcError ToolError audio defineTool extensionResult image inputRequired isSuspension missingCapability
      principalKey resourceNotFound serve text`,
    types: `
      AnyResult AnySchema Arguments AskOptions BuiltInRevision ChangeBus CheckedInput Completer Completers
      CompletionInput Context DetachedCall ElicitAnswer ErrorDisclosure ErrorReport ExtensionHandler
      ExtensionRegistrar ExtensionResult Features InferInput InferOutput InputRequired Limits ListedResource Log
      LogEvent McpServerOptions Middleware MiddlewareContext NamedParams NoArguments ParamsOf Principal PromptConfig
      PromptHandler PromptReturn RawAskOptions RequestParams ResourceConfig ResourceHandler ResourceParams
      ResourceReturn ResourceTemplateConfig ResourceTemplateHandler Resync Secret ServeOptions ServedConnection
      ServerEvent ServerExtension ServerHooks SessionKey StartedTask SubscriptionField TaskStarter ToolCall ToolConfig
      ToolDefinition ToolHandler ToolReturn ToolType Transport TypedRequest UrlOptions Variables Viewer Visible`,
  },
  client: {
    values: 'Client ConnectionError IncompleteListError RpcError connect isMcpError toolDigest',
    types: `
      AnswerHandlers AuthRequest AuthResponse Authorizer CallState ChildOptions ClientAuth ClientCall ClientExtension
      ClientHooks ClientMiddleware Command ConnectOptions Connection ConnectionOptions ConnectionState ExtensionCall
      ExtensionConnection HeaderFields HttpChallenge HttpClientOptions InProcess IncompleteListErrorCode Invocation
      OutputOf PendingCall Progress ProtectedServer QuestionContext RawResult ReconnectOptions RequestHandler
      RequestOptions RestartOptions ResultResolver ServerProfile StateListener StderrSink Subscription Target
      ToolArguments ToolCallResult ToolChange ToolFailure ToolName ToolPinningOptions ToolSuccess ToolsAt ToolsOf
      WatchEvent WatchListener`,
  },
  stdio: { values: 'serveStdio', types: 'StdioOptions' },
  http: {
    values: 'nodeHandler serveHttp',
    types: `
      Authenticate Challenge Credentials EventStore FollowedStream HttpLimits HttpOptions HttpRequest HttpResponseInfo
      HttpServerHandle NodeHandler OnResponse ProtectedResource ServeHttpOptions SessionBus SessionMessage
      SessionOptions SessionPatch SessionRecord SessionStore StoredEvent StoredSession StreamCondition TakenStream`,
  },
  fetch: {
    values: 'fetchHandler',
    types: `
      Authenticate Challenge Credentials EventStore FetchHandler FollowedStream HttpLimits HttpOptions HttpRequest
      HttpResponseInfo OnResponse ProtectedResource SessionBus SessionMessage SessionOptions SessionPatch
      SessionRecord SessionStore StoredEvent StoredSession StreamCondition TakenStream`,
  },
  websocket: {
    values: 'serveWebSocket webSocketHandler webSocketTransport',
    types: `
      ServeWebSocketOptions WebSocketHandler WebSocketLimits WebSocketOptions WebSocketServerHandle
      WebSocketTransportOptions`,
  },
  'auth/client': {
    values: `
      AuthError bearer clientCredentials deviceCode enterpriseManaged fileStore memoryStore oauth workloadIdentity`,
    types: `
      AssertionTarget AuthChallenge AuthOptions AuthStep AuthorizeContext ClientAuth ClientCredentialsOptions
      ClientOptions ClientPrivateKey CredentialStore DeviceCode DeviceCodeOptions EnterpriseManagedOptions
      FileStoreOptions IdentityProvider Json OAuth OAuthOptions WorkloadIdentityOptions`,
  },
  'auth/server': {
    values: 'AuthError introspect jwt protectedResource verifier',
    types: `
      AuthStep Authenticate Challenge ClientCredentials Credentials ExpectedClaims HttpRequest IntrospectOptions
      JwtOptions MetadataHandler NodeMetadataRequest NodeMetadataResponse OnError OnRefused Principal ProofStore
      ProofUse ProtectedResource ReceivedClaims RefusedToken ResourceAuth ResourceOptions VerifierOptions`,
  },
  'extensions/tasks': {
    values: 'NoRoomError callToolAsTask keptUntil memoryTaskStore resumeTask tasks',
    types: `
      DetailedTask MemoryTaskStore MemoryTaskStoreOptions SavedTask StoredTask Task TaskArguments TaskCallOptions
      TaskHandle TaskPage TaskQuery TaskQuestion TaskReply TaskRequestOptions TaskResultOptions TaskStatus TaskStore
      TasksOptions`,
  },
  'extensions/apps': {
    values: 'APP_MIME_TYPE appOf apps canShowApps isForApp isForModel readApp registerAppTool',
    types: `
      AppCsp AppPermissions AppSettings AppToolConfig AppView AppVisibility AppsClient ShownApp ToolApp`,
  },
  'extensions/skills': {
    values: 'SkillError getSkill listSkills openSkill readDirectory skillDigest skills skillsClient',
    types: `
      ListSkillsOptions OpenSkillOptions Skill SkillEntry SkillErrorCode SkillFiles SkillFrontmatter SkillLimits
      SkillList SkillRequestOptions SkillResource SkillsExtension SkillsOptions`,
  },
  testing: { values: 'record testClient', types: 'Script TestClient TestClientOptions Testable WireEntry' },
};

const entries = Object.keys(NAMES);
const root = fileURLToPath(new URL('../', import.meta.url));
const words = (text: string): string[] => text.trim().split(/\s+/).toSorted();

/** Where each name of an entry is declared, in the declarations users get. */
function publicDeclarations(entry: string): { isType: boolean; path: string; declaration: Declaration | undefined }[] {
  const path = `dist/entries/${entry}.d.ts`;
  const code = readCode(readFileSync(root + path, 'utf8'));
  const own = declarationsOf(code).map((declaration) => {
    return { isType: ['interface', 'type'].includes(declaration.kind), path, declaration };
  });
  const others = reexportsOf(code).map(({ name, isType, specifier }) => {
    const from = posix.join(posix.dirname(path), specifier.replace(/\.[jt]s$/, '.d.ts'));
    const declared = declarationsOf(readCode(readFileSync(root + from, 'utf8')));
    return { isType, path: from, declaration: declared.find((one) => one.name === name) };
  });
  return [...own, ...others];
}

const found = new Map(entries.map((entry) => [entry, publicDeclarations(entry)]));

/** What an interface says of a method holds for its implementations, and what `Log.send` says for each of the levels. */
function isDocumentedAbove(name: string, declaration: Declaration | undefined): boolean {
  if (declaration?.name === 'Log') return (LOGGING_LEVELS as readonly string[]).includes(name);
  const above = [...found.values()].flat().flatMap((one) => one.declaration ?? []);
  return above.some(
    (one) =>
      declaration?.implemented.includes(one.name) && one.members.some((member) => member.name === name && member.doc),
  );
}

test('every entry of package.json is here', () => {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { exports: Record<string, unknown> };
  const inPackage = Object.keys(exports).filter((path) => path !== './package.json');
  expect(inPackage).toEqual(entries.map((entry) => (entry === 'mcpp' ? '.' : `./${entry}`)));
  for (const entry of entries) expect(existsSync(`${root}src/entries/${entry}.ts`)).toBe(true);
});

describe.each(entries)('%s', (entry) => {
  const names = NAMES[entry];
  const declared = found.get(entry) ?? [];

  test('has these names and no others', async () => {
    const named = (isType: boolean): (string | undefined)[] =>
      declared.filter((one) => one.isType === isType).map((one) => one.declaration?.name);
    expect({ values: named(false).toSorted(), types: named(true).toSorted() }).toEqual({
      values: words(names?.values ?? ''),
      types: words(names?.types ?? ''),
    });
    const module: object = await import(/* @vite-ignore */ `${root}src/entries/${entry}.ts`);
    expect(Object.keys(module).toSorted()).toEqual(words(names?.values ?? ''));
  });

  test('says of each name what it is', () => {
    const silent = declared.filter(({ declaration }) => !declaration?.doc);
    expect(silent.map(({ path, declaration }) => `${path}: ${declaration?.name} has no doc comment`)).toEqual([]);
  });

  test('says of each method what it does', () => {
    // A property may be clear from its name and type alone; a call never is.
    const silent = declared.flatMap(({ path, declaration }) =>
      (declaration?.members ?? [])
        .filter(({ name, isMethod, doc }) => isMethod && !doc && !isDocumentedAbove(name, declaration))
        .map(({ name }) => `${path}: ${declaration?.name}.${name} has no doc comment`),
    );
    expect(silent).toEqual([]);
  });
});
