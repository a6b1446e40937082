import { describe, expect, test } from 'vitest';
import { expandTemplate, type UriTemplateValues } from '../../../../test/uri-template-expand.ts';
import { matchUri } from './match.ts';
import { encodeNonAscii, parseUriTemplate } from './uri-template.ts';

/** The variables of RFC 6570, section 3.2. */
const values = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  keys: { semi: ';', dot: '.', comma: ',' },
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empty_keys: {},
};

const expand = (template: string, given: UriTemplateValues): string =>
  expandTemplate(parseUriTemplate(template).parts, given);
const match = (template: string, uri: string): object | undefined => {
  const encoded = encodeNonAscii(uri);
  const found = encoded === undefined ? undefined : matchUri(parseUriTemplate(template), encoded);
  return found && Object.fromEntries(found);
};

describe('expansion as in RFC 6570', () => {
  test.each([
    // 3.2.1 and 3.2.2: variables, simple strings
    ['{count}', 'one,two,three'],
    ['{count*}', 'one,two,three'],
    ['{/count}', '/one,two,three'],
    ['{/count*}', '/one/two/three'],
    ['{;count}', ';count=one,two,three'],
    ['{;count*}', ';count=one;count=two;count=three'],
    ['{?count}', '?count=one,two,three'],
    ['{?count*}', '?count=one&count=two&count=three'],
    ['{&count*}', '&count=one&count=two&count=three'],
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['{x,y}', '1024,768'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['?{x,empty}', '?1024,'],
    ['?{x,undef}', '?1024'],
    ['?{undef,y}', '?768'],
    ['{var:3}', 'val'],
    ['{var:30}', 'value'],
    ['{list}', 'red,green,blue'],
    ['{list*}', 'red,green,blue'],
    ['{keys}', 'semi,%3B,dot,.,comma,%2C'],
    ['{keys*}', 'semi=%3B,dot=.,comma=%2C'],
    // 3.2.3: reserved
    ['{+var}', 'value'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
    ['{+base}index', 'http://example.com/home/index'],
    ['O{+empty}X', 'OX'],
    ['O{+undef}X', 'OX'],
    ['{+path}/here', '/foo/bar/here'],
    ['here?ref={+path}', 'here?ref=/foo/bar'],
    ['up{+path}/here', 'up/foo/bar/here'],
    ['{+x,hello,y}', '1024,Hello%20World!,768'],
    ['{+path,x}/here', '/foo/bar,1024/here'],
    ['{+path:6}/here', '/foo/b/here'],
    ['{+list}', 'red,green,blue'],
    ['{+list*}', 'red,green,blue'],
    ['{+keys}', 'semi,;,dot,.,comma,,'],
    ['{+keys*}', 'semi=;,dot=.,comma=,'],
    // 3.2.4: fragments
    ['{#var}', '#value'],
    ['{#hello}', '#Hello%20World!'],
    ['{#half}', '#50%25'],
    ['foo{#empty}', 'foo#'],
    ['foo{#undef}', 'foo'],
    ['{#x,hello,y}', '#1024,Hello%20World!,768'],
    ['{#path,x}/here', '#/foo/bar,1024/here'],
    ['{#path:6}/here', '#/foo/b/here'],
    ['{#list*}', '#red,green,blue'],
    ['{#keys*}', '#semi=;,dot=.,comma=,'],
    // 3.2.5: labels
    ['{.who}', '.fred'],
    ['{.who,who}', '.fred.fred'],
    ['{.half,who}', '.50%25.fred'],
    ['www{.dom*}', 'www.example.com'],
    ['X{.var}', 'X.value'],
    ['X{.empty}', 'X.'],
    ['X{.undef}', 'X'],
    ['X{.var:3}', 'X.val'],
    ['X{.list}', 'X.red,green,blue'],
    ['X{.list*}', 'X.red.green.blue'],
    ['X{.keys}', 'X.semi,%3B,dot,.,comma,%2C'],
    ['X{.keys*}', 'X.semi=%3B.dot=..comma=%2C'],
    ['X{.empty_keys}', 'X'],
    ['X{.empty_keys*}', 'X'],
    // 3.2.6: path segments
    ['{/who}', '/fred'],
    ['{/who,who}', '/fred/fred'],
    ['{/half,who}', '/50%25/fred'],
    ['{/who,dub}', '/fred/me%2Ftoo'],
    ['{/var}', '/value'],
    ['{/var,empty}', '/value/'],
    ['{/var,undef}', '/value'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{/var:1,var}', '/v/value'],
    ['{/list}', '/red,green,blue'],
    ['{/list*}', '/red/green/blue'],
    ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
    ['{/keys}', '/semi,%3B,dot,.,comma,%2C'],
    ['{/keys*}', '/semi=%3B/dot=./comma=%2C'],
    // 3.2.7: path parameters
    ['{;who}', ';who=fred'],
    ['{;half}', ';half=50%25'],
    ['{;empty}', ';empty'],
    ['{;v,empty,who}', ';v=6;empty;who=fred'],
    ['{;v,bar,who}', ';v=6;who=fred'],
    ['{;x,y}', ';x=1024;y=768'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{;hello:5}', ';hello=Hello'],
    ['{;list}', ';list=red,green,blue'],
    ['{;keys}', ';keys=semi,%3B,dot,.,comma,%2C'],
    ['{;keys*}', ';semi=%3B;dot=.;comma=%2C'],
    // 3.2.8 and 3.2.9: queries
    ['{?who}', '?who=fred'],
    ['{?half}', '?half=50%25'],
    ['{?x,y}', '?x=1024&y=768'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['{?x,y,undef}', '?x=1024&y=768'],
    ['{?var:3}', '?var=val'],
    ['{?list}', '?list=red,green,blue'],
    ['{?list*}', '?list=red&list=green&list=blue'],
    ['{?keys}', '?keys=semi,%3B,dot,.,comma,%2C'],
    ['{?keys*}', '?semi=%3B&dot=.&comma=%2C'],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{&x,y,empty}', '&x=1024&y=768&empty='],
    ['{&var:3}', '&var=val'],
    ['{&keys*}', '&semi=%3B&dot=.&comma=%2C'],
  ])('%s', (template, uri) => {
    expect(expand(template, values)).toBe(uri);
  });

  test('keeps percent-encoded characters only with operators that keep reserved characters', () => {
    expect(expand('{+x}|{x}'.replace('|', '/'), { x: '%20[%5B]é' })).toBe('%20[%5B]%C3%A9/%2520%5B%255B%5D%C3%A9');
  });

  test('encodes literals beyond ASCII, and prefixes count characters', () => {
    expect(expand('x:/é/{x:1}', { x: '😀b' })).toBe('x:/%C3%A9/%F0%9F%98%80');
  });

  test('ignores inherited properties of the values', () => {
    expect(expand('x{constructor}{/__proto__}', {})).toBe('x');
  });

  test('of a prefix of a list is refused', () => {
    expect(() => expand('{list:1}', values)).toThrow('"list:1" needs text');
  });
});

describe('a template', () => {
  test('has the name of each variable once', () => {
    expect(parseUriTemplate('x:{a,b}{?c.d,a,%41*}').variables).toEqual(['a', 'b', 'c.d', '%41']);
  });

  test.each([
    ['x:{a', '"{" is never closed at position 2'],
    ['x:a}', '"}" is not allowed at position 3'],
    ['x:{}', '"" is not a variable at position 3'],
    ['x:{a,}', '"" is not a variable at position 5'],
    ['x:{a b}', '"a b" is not a variable at position 3'],
    ['x:{a.}', '"a." is not a variable at position 3'],
    ['x:{{a}}', '"{a" is not a variable at position 3'],
    ['x:{a:0}', '"a:0" is not a variable at position 3'],
    ['x:{a:10000}', '"a:10000" is not a variable at position 3'],
    ['x:{a:3*}', '"a:3*" is not a variable at position 3'],
    ['x:{=a}', '"=a" is not a variable at position 3'],
    ['x:{|a}', '"|a" is not a variable at position 3'],
    ['x:a b', '" " is not allowed at position 3'],
    ['x:%zz', '"%" is not allowed at position 2'],
    ['x:\\', '"\\\\" is not allowed at position 2'],
    ['x:\ud800', 'half of a surrogate pair at position 0'],
    ['x:{a}{b}', 'no character separates this expression from the one before it at position 5'],
    ['x:{/a}{+b}', 'no character separates this expression from the one before it at position 6'],
    ['x:{a*,b*}', 'a second variable with "*" at position 6'],
    [`x:${'a'.repeat(9000)}`, 'more than 8192 characters at position 8192'],
    [`x:${'{/a}'.repeat(65)}`, 'more than 64 variables at position 258'],
  ])('%s is refused', (template, message) => {
    expect(() => parseUriTemplate(template)).toThrow(TypeError);
    expect(() => parseUriTemplate(template)).toThrow(message);
  });
});

describe('a match', () => {
  test.each<[string, string, object | undefined]>([
    // literals
    ['x://a', 'x://a', {}],
    ['x://a', 'x://A', undefined],
    ['x://a', 'x://ab', undefined],
    ['x://é', 'x://é', {}],
    ['x://é', 'x://%C3%A9', {}],
    ['', '', {}],
    // simple: one or more unreserved characters, percent-decoded
    ['x://{id}', 'x://7', { id: '7' }],
    ['x://{id}', 'x://a%20b%2Fc', { id: 'a b/c' }],
    ['x://{id}', 'x://世界', { id: '世界' }],
    ['x://{id}', 'x://', undefined],
    ['x://{id}', 'x://a/b', undefined],
    ['x://{id}', 'x://a,b', undefined],
    ['x://{id}', 'x://a?b', undefined],
    ['x://{id}', 'x://%zz', undefined],
    ['x://{id}', 'x://%4', undefined],
    ['x://{id}', 'x://%ff', undefined],
    ['x://{id}', 'x://%00', undefined],
    ['x://{id}', 'x://\ud800', undefined],
    ['x://{a,b}', 'x://1,2', { a: '1', b: '2' }],
    ['x://{a,b}', 'x://1', undefined],
    ['x://{a,b}', 'x://1,2,3', undefined],
    ['x://{a*}', 'x://1,2,3', { a: ['1', '2', '3'] }],
    ['x://{a*}', 'x://1', { a: ['1'] }],
    ['x://{a*}', 'x://1,', undefined],
    // where a value ends
    ['x://{a}/{b}', 'x://1/2', { a: '1', b: '2' }],
    ['x://{a}/items/{b}', 'x://1/items/2', { a: '1', b: '2' }],
    ['x://{a}.json', 'x://a.b.json', { a: 'a.b' }],
    ['x://{a}.json', 'x://a.json.json', { a: 'a.json' }],
    ['x://{a}.json', 'x://.json', undefined],
    ['x://{a}-{b}', 'x://1-2-3', { a: '1', b: '2-3' }],
    ['x://{a}aab{b}', 'x://aaab1', { a: 'a', b: '1' }],
    ['x://{a}aab{b}', 'x://caaab1', { a: 'ca', b: '1' }],
    ['{a}x', 'xx', { a: 'x' }],
    ['a{x}a', 'aa', undefined],
    // reserved
    ['file:///{+path}', 'file:///a/b%20c/d,e', { path: 'a/b c/d,e' }],
    ['file://{+path}', 'file:///a', { path: '/a' }],
    ['file:///{+path}', 'file:///', undefined],
    ['file:///{+path}/raw', 'file:///a/b/raw', { path: 'a/b' }],
    ['file:///{+path}{?rev}', 'file:///a/b?rev=2', { path: 'a/b', rev: '2' }],
    ['file:///{+path}{?rev}', 'file:///a/b', { path: 'a/b' }],
    ['x:{+a,b}', 'x:1/2,3,4', { a: '1/2', b: '3,4' }],
    ['x:{+a*}', 'x:1/2,3', { a: ['1/2', '3'] }],
    ['x:/{+a}', 'x:/a b', undefined],
    ['x:a{#part}', 'x:a#/b?c', { part: '/b?c' }],
    ['x:a{#part}', 'x:a', undefined],
    // labels and segments
    ['x:a{.ext}', 'x:a.txt', { ext: 'txt' }],
    ['x:a{.ext}', 'x:a.tar.gz', { ext: 'tar.gz' }],
    ['x:{name}{.ext}', 'x:a.txt', { name: 'a', ext: 'txt' }],
    ['x:a{.ext*}', 'x:a.tar.gz', { ext: ['tar', 'gz'] }],
    ['x:{/a}', 'x:/1', { a: '1' }],
    ['x:{/a}', 'x:/1/2', undefined],
    ['x:{/a}', 'x:', undefined],
    ['x:{/a}{/b}', 'x:/1/2', { a: '1', b: '2' }],
    ['x:{/a,b}', 'x:/1/2', { a: '1', b: '2' }],
    ['x:{/a*}', 'x:/1/2/3', { a: ['1', '2', '3'] }],
    ['x:{/a,b*}/end', 'x:/1/2/3/end', { a: '1', b: ['2', '3'] }],
    ['x:{/a*,b}', 'x:/1/2/3', { a: ['1', '2'], b: '3' }],
    ['x:{/a*}', 'x:/1//3', undefined],
    ['x:{/a*}', 'x:/1/', undefined],
    // parameters
    ['x:a{;p,q}', 'x:a;q=2;p=1', { p: '1', q: '2' }],
    ['x:a{;p}/b', 'x:a;p/b', { p: '' }],
    ['x:a{;p}{;q}', 'x:a;q=2', { q: '2' }],
    ['x:a{;p}', 'x:a;p=1/2', undefined],
    ['x:a{;p};v=1', 'x:a;v=1', {}],
    ['x:a{?q,r}', 'x:a?r=2&q=1', { q: '1', r: '2' }],
    ['x:a{?q,r}', 'x:a?q=', { q: '' }],
    ['x:a{?q,r}', 'x:a', {}],
    ['x:a{?q}', 'x:a?', {}],
    ['x:a{?q}', 'x:a?other=1&q=a%26b', { q: 'a&b' }],
    ['x:a{?q}', 'x:a?q=http://b/c?d,e', { q: 'http://b/c?d,e' }],
    ['x:a{?q}', 'x:a?q=1&q=2', undefined],
    ['x:a{?q*}', 'x:a?q=1&q=2', { q: ['1', '2'] }],
    ['x:a{?q}', 'x:a?q=1#b', undefined],
    ['x:a{?q}', 'x:a?q=%zz', undefined],
    ['x:a{?q}', 'x:ab', undefined],
    ['x:a{?q}{&r}', 'x:a?r=2&q=1', { q: '1', r: '2' }],
    ['x:a?v=1{&q}', 'x:a?v=1&q=2', { q: '2' }],
    ['x:{a}{?q}{#f}', 'x:1?q=2#3', { a: '1', q: '2', f: '3' }],
    ['x:{a}{?q}{#f}', 'x:1#3', { a: '1', f: '3' }],
    // prefixes and repeated variables
    ['x:{a:3}', 'x:abc', { a: 'abc' }],
    ['x:{a:3}', 'x:abcd', undefined],
    ['x:{a:1}', 'x:%F0%9F%98%80', { a: '😀' }],
    ['x:{a:1}/{a}', 'x:v/value', { a: 'value' }],
    ['x:{a:1}/{a}', 'x:w/value', undefined],
    ['x:{a}/{a}', 'x:1/1', { a: '1' }],
    ['x:{a}/{a}', 'x:1/2', undefined],
    // names
    [
      'x:{constructor}/{__proto__}',
      'x:1/2',
      Object.fromEntries([
        ['constructor', '1'],
        ['__proto__', '2'],
      ]),
    ],
  ])('of %s with %s', (template, uri, expected) => {
    expect(match(template, uri)).toEqual(expected);
  });

  test('restores the values of an expansion', () => {
    const template = 'x://{host}/{+path}{/rest*}{;p}{?q,r*}{#f}';
    const given = { host: 'é b', path: 'a', rest: ['b/c', 'd'], p: '1;2', q: 'x=y&z', r: ['1', '2'], f: 'end#' };
    expect(match(template, expand(template, given))).toEqual(given);
  });
});

describe('hostile text', () => {
  const hostile = [
    '{/id*}|user1,user2,user3,',
    '{id*}|a,',
    '{/id*}|/',
    '{/id*}|/a',
    '{id}|%41',
    '{+id}|%41',
    '{+id}|%',
    'x{+a}aaaaaaaaab{+b}|a',
    'x{a}b{b}b{c}b{d}|a',
    '{/a}{/b}{/c}{/d*}|/a',
    '{;a,b*}|;a=1;b=2',
    '{?a*,b}|&a=1',
    '{.a}{.b}{.c*}|.',
    `${'{/a}{?q}{;p}'.repeat(20)}|a`,
    `{+a}${'ab'.repeat(2000)}c{+b}|ab`,
    `{+a}b${'a'.repeat(4000)}{+b}|a`,
    'é{+a}|é',
  ];
  test.each(hostile)('is matched or rejected in linear time: %s', (row) => {
    const [template = '', piece = ''] = row.split('|');
    const prepared = parseUriTemplate(`x:${template}`);
    const uri = `x:${piece.repeat(100_000 / piece.length)}`;
    matchUri(prepared, uri);
    const start = performance.now();
    matchUri(prepared, uri);
    matchUri(prepared, `${uri}userX/`);
    matchUri(prepared, `x:/${uri.slice(2)}`);
    // One that is quadratic needs minutes.
    expect(performance.now() - start).toBeLessThan(1000);
  });

  test.each(['{', '}', '{a', '{/a*}', 'x{?a}', '%', '{a.', '\ud800', '{%41', '{a,b'])(
    'of 100 KB is parsed or refused at once: %s',
    (piece) => {
      const start = performance.now();
      for (const length of [8000, 100_000]) {
        try {
          matchUri(parseUriTemplate(piece.repeat(length / piece.length)), 'x:a');
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
        }
      }
      expect(performance.now() - start).toBeLessThan(1000);
    },
  );

  test.each(['', 'not a uri', 'http://[::1', 'test://%00', '%zz', 'x'.repeat(200_000)])('is no match: %s', (uri) => {
    for (const template of ['test://{id}', 'http://{host}', 'test://{/path*}'])
      expect(match(template, uri)).toBeUndefined();
  });
});
