import type { ClientExtension, ConnectOptions } from 'mcpp/client';
import { describe, expect, test } from 'vitest';
import { play, type Script } from '../../test/script.ts';
import { quiet } from '../../test/wire.ts';

const named = (id: string, retry: NonNullable<ClientExtension['client']>['retry']): ClientExtension => ({
  id: `com.example/${id}`,
  client: retry ? { retry } : {},
});
const withMore: ClientExtension = named('more', ({ code }, { method, params }) =>
  code === -32000 && method === 'things/get' ? { ...params, more: true } : undefined,
);
const paramsOf = (script: Script): unknown[] =>
  script.sent.map(({ params = {} }) => Object.fromEntries(Object.entries(params).filter(([name]) => name !== '_meta')));

describe('a call that was refused', () => {
  const playing = (options: ConnectOptions = {}) =>
    play({ extensions: [named('none', () => undefined), withMore], ...options });

  test('is made once more as an extension says', async () => {
    const { script, client } = await playing();
    const call = client.request('things/get', { id: 1 });
    script.refuse(-32000);
    await quiet();
    script.reply({ found: true });
    expect(await call).toMatchObject({ found: true });
    expect(paramsOf(script)).toEqual([{ id: 1 }, { id: 1, more: true }]);
    await client.close();
  });

  test('stays refused if no extension knows better', async () => {
    const { script, client } = await playing();
    const call = client.request('things/get', { id: 1 });
    script.refuse(-32001);
    await expect(call).rejects.toMatchObject({ code: -32001 });
    expect(script.sent).toHaveLength(1);
    await client.close();
  });

  test('is not made again and again', async () => {
    const { script, client } = await playing();
    const call = client.request('things/get', { id: 1 });
    script.refuse(-32000);
    await quiet();
    script.refuse(-32000);
    await expect(call).rejects.toMatchObject({ code: -32000 });
    expect(script.sent).toHaveLength(2);
    await client.close();
  });

  test('rejects with what the extension throws', async () => {
    const failing = named('failing', () => {
      throw new Error('not mine');
    });
    const { script, client } = await playing({ extensions: [failing] });
    const call = client.request('things/get');
    script.refuse(-32000);
    await expect(call).rejects.toThrow('not mine');
    await client.close();
  });
});
