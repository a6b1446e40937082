/** Selects the part of a process's stderr that tells why it failed: the error, without stack frames and source excerpts. */

const MAX_LINES = 10;
const MAX_LENGTH = 1000;

// CSI sequences such as colours, OSC sequences such as window titles, and two-character sequences.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it looks for.
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
const CONTROL_CHARACTER = /[^\P{Cc}\n\t]/gu;

const ERROR = /ERR!|(?:[Ee]rror|ERROR|Exception|Rejection|[Ff]atal|FATAL|[Pp]anic(?:ked)?)\b/;
// Stack frames of JavaScript, Java, .NET and Ruby, and lines that replace omitted frames.
const FRAME = /^\s+at\s|^\s+from\s\S+:\d|^\s*\.\.\. \d+ (?:more|lines matching)|^\s*\[Previous line repeated/;
const PYTHON_FRAME = /^\s*File ".*", line \d+, in /;
// The source excerpt of a Python frame, which is on the following lines.
const PYTHON_SOURCE = /^ {4}/;
// Lines about the previous line: markers such as `^^^` below source code, and the file of a Go frame below its function.
const ABOUT_LINE_BEFORE = /^[\s|]*[~^][~^\s]*$|^\t\S+\.go:\d/;
const HEADING =
  /^(?:Node\.js v\d|Bun v\d|node:[\w/]+:\d+$|\(Use `node --trace-|(?:Exception Group )?Traceback \(most recent call last\)|goroutine \d+ \[|\s*\d+ \| |\s*\+-[-+ \d]*$|[\]})]+[,;]?$)/;
// Python draws a vertical line beside the traceback of each exception in a group.
const GROUP = 'Exception Group Traceback';
const GROUP_LINE = /^\s*[|+] /;

/**
 * Returns the last lines that are not stack frames: at most `maxLines` lines and 1000 characters. If the last line that looks
 * like an error is not among them, it comes first. Returns undefined for text without lines.
 */
export function stderrExcerpt(stderr: string, maxLines: number = MAX_LINES): string | undefined {
  const all = linesOf(stderr);
  if (all.length === 0) return undefined;
  const withoutFrames = withoutTrace(all);
  const lines = withoutFrames.length > 0 ? withoutFrames : all;
  const last = endOf(lines.slice(-maxLines).join('\n'), MAX_LENGTH);
  const error = errorIn(lines);
  if (error === undefined || last.includes(error)) return last;
  const head = error.slice(0, MAX_LENGTH / 2);
  return `${head}\n...\n${endOf(lines.slice(2 - maxLines).join('\n'), MAX_LENGTH - head.length)}`;
}

function linesOf(stderr: string): string[] {
  const text = stderr.replace(ESCAPE_SEQUENCE, '').replace(/\r\n?/g, '\n').replace(CONTROL_CHARACTER, '');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return text.includes(GROUP) ? lines.map((line) => line.replace(GROUP_LINE, '')) : lines;
}

function withoutTrace(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let isAfterKept = false;
  let isInPythonFrame = false;
  for (const line of lines) {
    isInPythonFrame = PYTHON_FRAME.test(line) || (isInPythonFrame && PYTHON_SOURCE.test(line));
    const isTrace = isInPythonFrame || FRAME.test(line) || HEADING.test(line);
    const isAboutLineBefore = !isTrace && ABOUT_LINE_BEFORE.test(line);
    if (isAboutLineBefore && isAfterKept) kept.pop();
    isAfterKept = !isTrace && !isAboutLineBefore;
    if (isAfterKept) kept.push(line);
  }
  return kept;
}

// Indented lines are mostly properties or causes of an error, so other lines take precedence.
function errorIn(lines: readonly string[]): string | undefined {
  const errors = lines.filter((line) => ERROR.test(line));
  return errors.findLast((line) => !/^\s/.test(line)) ?? errors.at(-1);
}

function endOf(text: string, maxLength: number): string {
  return text.length > maxLength ? `...${text.slice(-maxLength)}` : text;
}
