/** Reads TypeScript as far as tests of the source need it: comments and strings apart from the code, imports, names. */

/** A source file, taken apart. */
export interface Code {
  readonly source: string;
  /** The source with blanks for comments and for what is inside strings, templates and patterns; places are the same. */
  readonly code: string;
  /** What the strings say, by the place of their first quote. */
  readonly strings: ReadonlyMap<number, string>;
  /** Doc comments, by the place of what follows them. */
  readonly docs: ReadonlyMap<number, string>;
  readonly lines: number;
}

/** One import, static or not. */
export interface Import {
  /** Undefined for an `import()` of something computed. */
  readonly specifier: string | undefined;
  /** Nothing is left of it at run time. */
  readonly isType: boolean;
  readonly isDynamic: boolean;
}

/** After one of these a slash begins a pattern; after a name, a number or a closing bracket it divides. */
const BEFORE_A_PATTERN = /(^|[(,=:[!&|?{};+\-*%~^<>]|\b(return|typeof|case|in|of|await|yield|void|else|do))\s*$/;

/** Takes a source apart. */
export function readCode(source: string): Code {
  const strings = new Map<number, string>();
  const docs = new Map<number, string>();
  let code = '';
  let doc: string | undefined;
  const blank = (to: number): void => {
    code += source.slice(code.length, to).replaceAll(/[^\n]/g, ' ');
  };
  const keep = (): void => {
    code += source[code.length] ?? '';
  };
  const find = (pattern: RegExp, from: number): number => {
    pattern.lastIndex = from;
    const found = pattern.exec(source);
    if (!found) throw new Error(`Unfinished: ${source.slice(from - 1, from + 20)}`);
    return found.index + found[0].length;
  };

  /** Reads code up to the closing brace of a template's `${`, or to the end. */
  const readUntil = (closing: '}' | undefined): void => {
    let depth = 0;
    while (code.length < source.length) {
      const at = code.length;
      const [one = '', two] = [source[at], source.slice(at, at + 2)];
      if (one === '{') depth++;
      if (one === '}' && depth-- === 0 && closing) return;
      if (doc !== undefined && /\S/.test(one) && two !== '//' && two !== '/*') {
        docs.set(at, doc);
        doc = undefined;
      }
      if (two === '//') blank(find(/$/gm, at));
      else if (two === '/*') {
        blank(find(/\*\//g, at + 2));
        doc = source.startsWith('/**', at) ? source.slice(at, code.length) : undefined;
      } else if (one === "'" || one === '"') readString(one);
      else if (one === '`') readTemplate();
      else if (one === '/' && BEFORE_A_PATTERN.test(code.slice(-80))) {
        blank(find(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/g, at));
      } else keep();
    }
  };
  const readString = (quote: string): void => {
    const at = code.length;
    const end = find(quote === "'" ? /(?:\\.|[^'\\\n])*'/gs : /(?:\\.|[^"\\\n])*"/gs, at + 1);
    strings.set(at, source.slice(at + 1, end - 1));
    keep();
    blank(end - 1);
    keep();
  };
  const readTemplate = (): void => {
    keep();
    blank(find(/(?:\\.|(?!\$\{)[^\\`])*/gs, code.length));
    while (source[code.length] !== '`') {
      blank(find(/\$\{/g, code.length));
      readUntil('}');
      blank(find(/(?:\\.|(?!\$\{)[^\\`])*/gs, code.length + 1));
    }
    keep();
  };

  readUntil(undefined);
  return { source, code, strings, docs, lines: source.replace(/\n$/, '').split('\n').length };
}

/** Every import of a file, with re-exports and the types in `import('...')`. */
export function importsOf({ code, strings }: Code): Import[] {
  const statements = [
    ...code.matchAll(/\b(?:import|export)\b(\s+type\b)?[^;'"()=]*\bfrom\s*(?=['"])|\bimport\s*(?=['"])/g),
  ];
  const calls = [...code.matchAll(/(\btypeof\s+)?\bimport\s*\(\s*/g)];
  const at = ({ 0: text, index }: RegExpExecArray): string | undefined => strings.get(index + text.length);
  return [
    ...statements.map((match) => ({ specifier: at(match), isType: match[1] !== undefined, isDynamic: false })),
    ...calls.map((match) => ({ specifier: at(match), isType: match[1] !== undefined, isDynamic: true })),
  ];
}

/** The source files that a built one is made of: the build says so above the code of each. */
export function modulesIn(built: string): string[] {
  return [...built.matchAll(/^\/\/ (src\/\S+\.ts)$/gm)].flatMap(([, module]) => module ?? []);
}

/** A name that is passed on from another file. */
export interface Reexport {
  readonly name: string;
  readonly isType: boolean;
  readonly specifier: string;
}

/** The names in `export { ... } from '...'`. */
export function reexportsOf({ code, strings }: Code): Reexport[] {
  return [...code.matchAll(/\bexport\s+(type\s+)?\{([^}]*)\}\s*from\s*(?=['"])/g)].flatMap((match) => {
    const specifier = strings.get(match.index + match[0].length) ?? '';
    const names = (match[2] ?? '').split(',').map((name) => name.trim());
    return names
      .filter((name) => name !== '')
      .map((name) => ({
        name: name.replace(/^type\s+/, ''),
        isType: match[1] !== undefined || name.startsWith('type '),
        specifier,
      }));
  });
}

/** An exported declaration of a `.d.ts` file. */
export interface Declaration {
  readonly name: string;
  readonly kind: string;
  readonly doc: string | undefined;
  /** What stands behind `implements`. */
  readonly implemented: readonly string[];
  /** The public members of a class, an interface or an object. */
  readonly members: readonly Member[];
}

/** One member. */
export interface Member {
  readonly name: string;
  readonly isMethod: boolean;
  readonly doc: string | undefined;
}

/** What a `.d.ts` file declares and exports. */
export function declarationsOf(file: Code): Declaration[] {
  const heads = file.code.matchAll(
    /^export (?:declare )?(?:abstract )?(interface|class|type|function|const) ([\w$]+)/gm,
  );
  return [...heads].map(({ index, 1: kind = '', 2: name = '' }) => {
    const head = file.code.slice(index, file.code.indexOf('\n', index));
    const implemented = / implements (.+) \{$/.exec(head)?.[1]?.split(', ') ?? [];
    const members = head.endsWith('{') && kind !== 'type' ? membersOf(file, index) : [];
    return { name, kind, doc: file.docs.get(index), implemented, members };
  });
}

const MODIFIERS = /^(?:(?:readonly|static|declare|abstract|get|set)\s+)*/;

/** The body begins at the brace that ends its line, and its members end with semicolons. */
function membersOf({ source, code, docs }: Code, from: number): Member[] {
  const members: Member[] = [];
  let start = code.indexOf('{\n', from) + 1;
  let depth = 0;
  for (let at = start; depth >= 0 && at < code.length; at++) {
    const one = code[at] ?? '';
    if ('{(['.includes(one)) depth++;
    if ('})]'.includes(one)) depth--;
    if (one !== ';' || depth !== 0) continue;
    const begin = start + code.slice(start, at).search(/\S/);
    const text = source.slice(begin, at).replace(MODIFIERS, '');
    const [, name = '', next = ''] = /^(['"\w$~-]+|\[[^\]]*\])\??\s*(.)/.exec(text) ?? [];
    if (!/^(#|private\b|protected\b|constructor\b)/.test(text)) {
      members.push({ name: name.replaceAll(/['"]/g, ''), isMethod: '(<'.includes(next), doc: docs.get(begin) });
    }
    start = at + 1;
  }
  return members;
}
