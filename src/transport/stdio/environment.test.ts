import { describe, expect, test } from 'vitest';
import { environmentOf } from './environment.ts';

describe('the environment of a server', () => {
  test('has what programs need to run, and no secrets', () => {
    const ours = {
      PATH: '/bin',
      HOME: '/home/ada',
      LANG: 'C',
      LC_TIME: 'C',
      XDG_CACHE_HOME: '/cache',
      TMPDIR: '/tmp',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      GITHUB_TOKEN: 'secret',
      NODE_OPTIONS: '--inspect',
      LD_PRELOAD: '/x.so',
      SSH_AUTH_SOCK: '/agent',
    };
    const { GITHUB_TOKEN, NODE_OPTIONS, LD_PRELOAD, SSH_AUTH_SOCK, ...needed } = ours;
    expect(environmentOf({}, ours, 'linux')).toEqual(needed);
  });

  test('has no functions that a shell exported', () => {
    expect(environmentOf({}, { TERM: '() { evil; }', USER: 'ada' }, 'linux')).toEqual({ USER: 'ada' });
  });

  test('has the address of a proxy, but not the password in it', () => {
    const ours = {
      HTTPS_PROXY: 'http://proxy:8080',
      http_proxy: 'http://ada:secret@proxy:8080',
      no_proxy: 'localhost',
    };
    expect(environmentOf({}, ours, 'linux')).toEqual({ HTTPS_PROXY: 'http://proxy:8080', no_proxy: 'localhost' });
    expect(environmentOf({}, { Https_Proxy: 'http://ada:secret@proxy' }, 'win32')).toEqual({});
  });

  test('is changed by what is given, where undefined leaves a name out', () => {
    const given = { TOKEN: 'mine', HOME: undefined, PATH: '/opt', ['__proto__']: 'x' };
    const made = environmentOf(given, { PATH: '/bin', HOME: '/home/ada', USER: 'ada' }, 'linux');
    expect(Object.entries(made)).toEqual([
      ['PATH', '/opt'],
      ['USER', 'ada'],
      ['TOKEN', 'mine'],
      ['__proto__', 'x'],
    ]);
  });

  test('takes what a configuration file may hold in place of text', () => {
    expect(environmentOf({ PORT: 80, HOME: null } as never, { HOME: '/' }, 'linux')).toEqual({ PORT: '80' });
  });

  test('on Windows has one variable for names that differ in case only', () => {
    const ours = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', 'ProgramFiles(x86)': 'C:\\x86', Secret: 'x' };
    expect(environmentOf({ PATH: 'D:\\', SYSTEMROOT: undefined }, ours, 'win32')).toEqual({
      PATH: 'D:\\',
      'ProgramFiles(x86)': 'C:\\x86',
    });
    expect(environmentOf({ path: 'x' }, { PATH: '/bin' }, 'linux')).toEqual({ PATH: '/bin', path: 'x' });
  });
});
