// The client under test: connects to whatever it is told to and uses everything a server can have.

import { connect, isMcpError } from 'mcpp/client';
import { webSocketTransport } from 'mcpp/websocket';
import { underAttack } from '../test/hostile/bounds/measured.mjs';
import { measurements } from './measurements.mjs';

const TIMEOUTS = { timeout: 150, maxTimeout: 500, connectTimeout: 1000, probeTimeout: 150 };
/** For servers whose replies take time to make. */
const SLOW = { timeout: 5000, maxTimeout: 10_000, connectTimeout: 5000 };
// Far more than the timeouts: what has not settled by then never will.
const HUNG_MS = 15_000;

const OPTIONS = {
  ...TIMEOUTS,
  onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  onSample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello' } }),
  roots: [{ uri: 'file:///a', name: 'a' }],
  logLevel: 'debug',
  onLog: () => {},
  onNotification: () => {},
  graceMs: 200,
  reconnect: { maxDelayMs: 100, maxTries: 1 },
};

/** Runs a call and says how it ended. */
async function outcome(call, action) {
  let timer;
  const hung = new Promise((resolve) => {
    timer = setTimeout(() => resolve({ call, hung: true }), HUNG_MS);
  });
  const ended = (async () => {
    try {
      return { call, value: await action() };
    } catch (error) {
      const { name, message, stack } = error ?? {};
      return {
        call,
        error: {
          name: String(name),
          message: String(message),
          stack: String(stack).slice(0, 1500),
          isKnown: isMcpError(error),
        },
      };
    }
  })();
  const settled = await Promise.race([ended, hung]);
  clearTimeout(timer);
  return settled;
}

async function visit({ target, revision, isSlow }) {
  const errors = [];
  const onError = (error) =>
    errors.push({ call: 'onError', error: { name: 'onError', message: String(error?.message), isKnown: true } });
  const at = typeof target === 'string' && target.startsWith('ws') ? webSocketTransport(target) : target;
  const connected = await outcome('connect', () =>
    connect(at, { ...OPTIONS, ...(isSlow ? SLOW : {}), revision, onError }),
  );
  const mcp = connected.value;
  if (!mcp) return [connected, ...errors].map(withoutValue);
  const lists = await Promise.all([
    outcome('listTools', () => mcp.listTools()),
    outcome('listResources', () => mcp.listResources()),
    outcome('listResourceTemplates', () => mcp.listResourceTemplates()),
    outcome('prompts', async () => {
      for await (const _prompt of mcp.prompts()) await undefined;
    }),
  ]);
  const watches = ['tools', 'note://1'].map((what) => outcome('watch', () => mcp.watch(what, () => {})));
  const calls = await Promise.all([
    outcome('callTool structured', () => mcp.callTool('structured', { a: 1 }, { onProgress: () => {} })),
    outcome('callTool plain', () => mcp.callTool('plain', { region: 'eu' })),
    outcome('callTool ask', () => mcp.callTool('ask')),
    outcome('readResource', () => mcp.readResource('note://1')),
    outcome('getPrompt', () => mcp.getPrompt('review', { language: 'ruby' })),
    outcome('complete', () => mcp.complete({ type: 'ref/prompt', name: 'review' }, { name: 'language', value: 'r' })),
    outcome('ping', () => mcp.ping()),
    outcome('request', () => mcp.request('fuzz/unknown', { a: 1 })),
  ]);
  const last = [await outcome('toolDigests', () => mcp.toolDigests()), await outcome('close', () => mcp.close())];
  return [connected, ...lists, ...calls, ...last, ...(await Promise.all(watches)), ...errors.slice(0, 50)].map(
    withoutValue,
  );
}

function withoutValue({ value: _value, ...rest }) {
  return rest;
}

underAttack({ ready: { ports: {} }, actions: { ...measurements, visit } });
