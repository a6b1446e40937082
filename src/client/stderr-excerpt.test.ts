import { describe, expect, test } from 'vitest';
import { stderrExcerpt } from './stderr-excerpt.ts';

const frames = (count: number): string =>
  Array.from({ length: count }, (_, n) => `    at step${n} (/home/ada/server/node_modules/deep/step.js:${n}:7)`).join(
    '\n',
  );

describe('the excerpt of stderr keeps the error and leaves out the trace', () => {
  test.each([
    [
      'a Node program that throws',
      `file:///srv/server.mjs:3
throw new Error('API_KEY is not set');
      ^

Error: API_KEY is not set
    at file:///srv/server.mjs:3:7
${frames(10)}

Node.js v22.12.0
`,
      'file:///srv/server.mjs:3\nError: API_KEY is not set',
    ],
    [
      'a missing module in Node',
      `node:internal/modules/esm/resolve:257
    throw new ERR_MODULE_NOT_FOUND(
          ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'pg' imported from /srv/server.mjs
${frames(9)} {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v22.12.0
`,
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'pg' imported from /srv/server.mjs\n  code: 'ERR_MODULE_NOT_FOUND'",
    ],
    [
      'a missing CommonJS module',
      `node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module './config'
Require stack:
- /srv/server.js
${frames(8)} {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/srv/server.js' ]
}

Node.js v20.18.0`,
      "Error: Cannot find module './config'\nRequire stack:\n- /srv/server.js\n  code: 'MODULE_NOT_FOUND',\n  requireStack: [ '/srv/server.js' ]",
    ],
    [
      'an error with a cause',
      `Error: cannot start
    at start (/srv/server.js:2:9)
    ... 4 lines matching cause stack trace ...
    at node:internal/main/run_main_module:36:49 {
  [cause]: Error: connect ECONNREFUSED 127.0.0.1:5432
      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)
}`,
      'Error: cannot start\n  [cause]: Error: connect ECONNREFUSED 127.0.0.1:5432',
    ],
    [
      'a string that is thrown',
      "/srv/server.js:1\nthrow 'no licence'\n^\nno licence\n(Use `node --trace-uncaught ...` to show where the exception was thrown)\n\nNode.js v20.18.0",
      '/srv/server.js:1\nno licence',
    ],
    [
      'a Python program',
      `Traceback (most recent call last):
  File "/srv/server.py", line 12, in <module>
    main()
    ~~~~^^
  File "/srv/server.py", line 8, in main
    key = os.environ["API_KEY"]
          ~~~~~~~~~~^^^^^^^^^^^
  File "<frozen os>", line 685, in __getitem__
KeyError: 'API_KEY'
`,
      "KeyError: 'API_KEY'",
    ],
    [
      'a Python program with a syntax error, whose place is no frame',
      '  File "/srv/server.py", line 1\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n',
      '  File "/srv/server.py", line 1\nSyntaxError: invalid syntax',
    ],
    [
      'a Python exception group',
      `  + Exception Group Traceback (most recent call last):
  |   File "/srv/server.py", line 10, in <module>
  |     run(main)
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/server.py", line 3, in task
    |     raise ValueError("bad port")
    | ValueError: bad port
    +------------------------------------
`,
      'ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\nValueError: bad port',
    ],
    [
      'a Go program',
      'panic: no database\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:4 +0x2c\nexit status 2\n',
      'panic: no database\nexit status 2',
    ],
    [
      'a Java program',
      'Exception in thread "main" java.lang.RuntimeException: no config\n\tat Main.main(Main.java:3)\nCaused by: java.io.IOException: config.yml\n\tat Config.read(Config.java:9)\n\t... 1 more\n',
      'Exception in thread "main" java.lang.RuntimeException: no config\nCaused by: java.io.IOException: config.yml',
    ],
    [
      'a Ruby program',
      "/srv/server.rb:1:in 'boot': no config (RuntimeError)\n\tfrom /srv/server.rb:4:in '<main>'\n",
      "/srv/server.rb:1:in 'boot': no config (RuntimeError)",
    ],
    [
      'a Bun program',
      '1 | const key = undefined;\n2 | throw new Error("no key");\n          ^\nerror: no key\n      at /srv/server.ts:2:7\n\nBun v1.2.0 (Linux x64)\n',
      'error: no key',
    ],
    ['text that is no error', 'Starting\nAPI_KEY is not set\n', 'Starting\nAPI_KEY is not set'],
  ])('%s', (_, stderr, excerpt) => {
    expect(stderrExcerpt(stderr)).toBe(excerpt);
  });

  test('frames alone are shown as they are', () => {
    expect(stderrExcerpt('    at main\n')).toBe('    at main');
    expect(stderrExcerpt(' \n\u001b[0m\n')).toBeUndefined();
  });
});

describe('the excerpt of stderr is short', () => {
  const numbered = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n}`).join('\n');

  test('it has ten lines, without what a terminal would obey', () => {
    const stderr = `${numbered(20).replaceAll('\n', '\r\n')}\n\u001b]0;title\u0007\u001b[2J\u0000end\n`;
    expect(stderrExcerpt(stderr)?.split('\n')).toEqual([...numbered(20).split('\n').slice(-9), 'end']);
  });

  test('an error before them comes first', () => {
    const excerpt = stderrExcerpt(
      `AxiosError: Request failed with status code 401\n${frames(5)} {\n${numbered(300)}\n}`,
    );
    expect(excerpt?.split('\n')).toEqual([
      'AxiosError: Request failed with status code 401',
      '...',
      ...numbered(300).split('\n').slice(-8),
    ]);
  });

  test('it has 1,000 characters, and the beginning of a long error', () => {
    expect(stderrExcerpt('y'.repeat(4096))).toBe(`...${'y'.repeat(1000)}`);
    const excerpt = stderrExcerpt(`TypeError: ${'x'.repeat(3000)}\n${'y'.repeat(3000)}`);
    expect(excerpt).toBe(`TypeError: ${'x'.repeat(489)}\n...\n...${'y'.repeat(500)}`);
  });

  test('32 KB of any text cost little', () => {
    const before = performance.now();
    for (const part of ['^', ' ', '\t', 'a.', '\u001b]', '\u001b[0', ' at', 'File "', '", line 1', '| ']) {
      stderrExcerpt(part.repeat(32_768 / part.length));
      stderrExcerpt(`${part.repeat(60)}\n`.repeat(32_768 / (60 * part.length)));
    }
    expect(performance.now() - before).toBeLessThan(500);
  });
});
