/** Sessions over HTTP: what is sent in one, the stream beside the requests, cancellation and the end. */

import { type ConnectOptions, connect } from 'mcpp/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Answers, closeAll, rawServer, stateful, TOOL } from './raw-server.ts';

afterEach(closeAll);

const CALL: Answers = { 'tools/call': (visit) => visit.result({ content: [] }) };
const notice = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', method, params });

describe('a session', () => {
  test('has its id and version in every request after initialize, and is ended with DELETE', async () => {
    const server = await rawServer({ ...stateful(), ...CALL });
    const mcp = await connect(server.url);
    expect(mcp.revision).toBe('2025-11-25');
    await mcp.callTool('tool');
    await vi.waitFor(() => expect(server.to('GET')).toHaveLength(1));
    await mcp.close();
    const seen = server.visits.map(({ method, headers, message }) => [
      message.method ?? method,
      headers['mcp-session-id'],
      headers['mcp-protocol-version'],
      headers['mcp-method'],
    ]);
    expect(seen).toEqual([
      ['server/discover', undefined, '2026-07-28', 'server/discover'],
      ['initialize', undefined, undefined, undefined],
      ['notifications/initialized', 's1', '2025-11-25', undefined],
      expect.arrayContaining(['s1', '2025-11-25', undefined]),
      expect.arrayContaining(['s1', '2025-11-25', undefined]),
      ['DELETE', 's1', '2025-11-25', undefined],
    ]);
  });

  test.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', undefined],
    ['2024-11-05', undefined],
  ])('of %s names the version in a header: %s', async (version, header) => {
    const server = await rawServer({ ...stateful(version), ...CALL });
    const mcp = await connect(server.url);
    await mcp.callTool('tool');
    expect(server.to('tools/call')[0]?.headers['mcp-protocol-version']).toBe(header);
    expect(server.to('tools/call')[0]?.headers['mcp-session-id']).toBe('s1');
    await mcp.close();
  });

  test('may have no id: then none is sent, and there is nothing to end', async () => {
    const server = await rawServer({ ...stateful('2025-11-25', false), ...CALL });
    const mcp = await connect(server.url);
    await mcp.callTool('tool');
    await mcp.close();
    expect(server.visits.filter(({ headers }) => headers['mcp-session-id'] !== undefined)).toEqual([]);
    expect(server.to('DELETE')).toEqual([]);
  });

  test('begins when the server has taken notifications/initialized, not before', async () => {
    let accept = (): void => {};
    const server = await rawServer({
      ...stateful(),
      ...CALL,
      'notifications/initialized': (visit) => {
        accept = () => visit.status(202);
      },
    });
    const connecting = connect(server.url);
    await vi.waitFor(() => expect(server.to('notifications/initialized')).toHaveLength(1));
    expect(server.to('GET')).toEqual([]);
    accept();
    const mcp = await connecting;
    await mcp.callTool('tool');
    await mcp.close();
  });

  test.each([200, 202, 204])('takes status %i for a notification that was accepted', async (status) => {
    const server = await rawServer({ ...stateful(), 'notifications/initialized': (visit) => visit.status(status) });
    const onError = vi.fn();
    const mcp = await connect(server.url, { onError });
    await mcp.close();
    expect(onError).not.toHaveBeenCalled();
  });

  test('is over for us within a second, whether or not the server answers DELETE', async () => {
    const server = await rawServer({ ...stateful(), DELETE: () => {} });
    const mcp = await connect(server.url);
    await mcp.close();
    await vi.waitFor(async () => expect(await server.connections()).toBe(0));
  });

  test('what is told right before the end arrives before the end', async () => {
    const order: string[] = [];
    const server = await rawServer({
      ...stateful(),
      'notifications/own': (visit) => {
        order.push('told');
        visit.status(202);
      },
      DELETE: (visit) => {
        order.push('ended');
        visit.status(204);
      },
    });
    const mcp = await connect(server.url);
    mcp.notify('notifications/own');
    await mcp.close();
    expect(order).toEqual(['told', 'ended']);
  });

  test('is not ended by hanging up, so a call is given up with a notification', async () => {
    const server = await rawServer({ ...stateful(), 'tools/call': (visit) => visit.event({ data: '' }) });
    const mcp = await connect(server.url);
    const giveUp = new AbortController();
    const call = mcp.callTool('slow', {}, { signal: giveUp.signal });
    await vi.waitFor(() => expect(server.to('tools/call')).toHaveLength(1));
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    await server.to('tools/call')[0]?.over;
    await vi.waitFor(() => expect(server.to('notifications/cancelled')).toHaveLength(1));
    const [cancelled] = server.to('notifications/cancelled');
    expect(cancelled?.message.params).toMatchObject({ requestId: server.to('tools/call')[0]?.message.id });
    expect(cancelled?.headers['mcp-session-id']).toBe('s1');
    await mcp.close();
  });
});

describe('the stream beside the requests', () => {
  test('tells changes, and asks', async () => {
    const server = await rawServer({
      ...stateful(),
      GET: (visit) => {
        visit.event({ data: notice('notifications/tools/list_changed') });
        visit.event({
          data: {
            jsonrpc: '2.0',
            id: 'q',
            method: 'elicitation/create',
            params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
          },
        });
      },
    });
    const onNotification = vi.fn();
    const options: ConnectOptions = { onNotification, onElicit: () => ({ action: 'decline' }) };
    const mcp = await connect(server.url, options);
    await vi.waitFor(() => expect(server.to('POST')).toHaveLength(1));
    expect(server.to('POST')[0]?.message).toEqual({ jsonrpc: '2.0', id: 'q', result: { action: 'decline' } });
    expect(server.to('POST')[0]?.headers['mcp-session-id']).toBe('s1');
    expect(onNotification).toHaveBeenCalledWith(notice('notifications/tools/list_changed'));
    expect(server.to('GET')[0]?.headers).toMatchObject({ accept: 'text/event-stream', 'mcp-session-id': 's1' });
    await mcp.close();
    await server.to('GET')[0]?.over;
  });

  test.each([400, 404, 405, 501])('need not be there: %i is no error', async (status) => {
    const server = await rawServer({ ...stateful(), ...CALL, GET: (visit) => visit.status(status) });
    const onError = vi.fn();
    const mcp = await connect(server.url, { onError, reconnect: { maxTries: 1 } });
    await vi.waitFor(() => expect(server.to('GET')).toHaveLength(1));
    await mcp.callTool('tool');
    expect(mcp.state).toBe('ready');
    await mcp.close();
    // A server that cannot at the moment is another matter.
    if (status < 500) expect(onError).not.toHaveBeenCalled();
    expect(server.to('initialize')).toHaveLength(1);
  });

  test('a request’s own stream carries questions too, and they are answered in the session', async () => {
    const server = await rawServer({
      ...stateful(),
      'tools/call': (call) => {
        call.event({ data: { jsonrpc: '2.0', id: 7, method: 'roots/list' } });
      },
      response: (visit) => {
        visit.status(202);
        const [call] = server.to('tools/call');
        call?.event({ data: call.answer({ content: [{ type: 'text', text: JSON.stringify(visit.message.result) }] }) });
        call?.response.end();
      },
    });
    const mcp = await connect(server.url, { roots: [{ uri: 'file:///home' }] });
    const { content } = await mcp.callTool('tool');
    expect(content).toEqual([{ type: 'text', text: '{"roots":[{"uri":"file:///home"}]}' }]);
    await mcp.close();
  });

  test('messages may come several at once, as 2025-03-26 has it', async () => {
    const server = await rawServer({
      ...stateful('2025-03-26'),
      'tools/call': (visit) => {
        visit.event({
          data: [notice('notifications/message', { level: 'info', data: 1 }), visit.answer({ content: [] })],
        });
        visit.response.end();
      },
      'tools/list': (visit) => visit.json([visit.answer({ tools: [TOOL] })]),
    });
    const onLog = vi.fn();
    const mcp = await connect(server.url, { onLog });
    await mcp.callTool('tool');
    expect((await mcp.listTools()).tools).toEqual([TOOL]);
    expect(onLog).toHaveBeenCalledTimes(1);
    await mcp.close();
  });
});
