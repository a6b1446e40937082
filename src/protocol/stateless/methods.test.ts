import { describe, expect, test } from 'vitest';
import { acceptedFilter, filterOf, notificationFor } from './methods.ts';

describe('the filter of subscriptions/listen', () => {
  test('is an object and may be empty', () => {
    expect(filterOf({ notifications: {} })).toEqual({});
    expect(filterOf({ notifications: { taskIds: ['x'] } })).toEqual({ taskIds: ['x'] });
  });

  test.each<unknown>([
    undefined,
    null,
    [],
    'all',
    { toolsListChanged: 1 },
    { promptsListChanged: null },
    { resourcesListChanged: 'yes' },
    { resourceSubscriptions: 'x:' },
    { resourceSubscriptions: [5] },
    { resourceSubscriptions: Array(10_001).fill('x:') },
  ])('is refused if it is %j', (notifications) => {
    expect(() => filterOf({ notifications })).toThrow(expect.objectContaining({ code: -32602 }));
  });

  test('is accepted as far as the server has the capabilities', () => {
    const wanted = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['x:'] };
    expect(acceptedFilter(wanted, {})).toEqual({});
    expect(
      acceptedFilter(wanted, { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } }),
    ).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['x:'],
    });
    expect(acceptedFilter({ toolsListChanged: false }, { tools: { listChanged: true } })).toEqual({});
  });
});

describe('a change', () => {
  test('becomes the notification of its type with the subscription id', () => {
    expect(notificationFor({ type: 'tools' }, { toolsListChanged: true }, 0)).toEqual({
      method: 'notifications/tools/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 0 } },
    });
    expect(notificationFor({ type: 'resource', uri: 'x:/a/b' }, { resourceSubscriptions: ['x:/a'] }, '0')).toEqual({
      method: 'notifications/resources/updated',
      params: { uri: 'x:/a/b', _meta: { 'io.modelcontextprotocol/subscriptionId': '0' } },
    });
  });

  test('that the filter does not include is not sent', () => {
    expect(notificationFor({ type: 'tools' }, { promptsListChanged: true }, 1)).toBeUndefined();
    expect(notificationFor({ type: 'resource', uri: 'x:/ab' }, { resourceSubscriptions: ['x:/a'] }, 1)).toBeUndefined();
    expect(notificationFor({ type: 'resources' }, { resourceSubscriptions: ['x:/a'] }, 1)).toBeUndefined();
  });
});
