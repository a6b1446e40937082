// What was measured, as tables: on the terminal, as JSON, and in Markdown.

/** A figure as people read it: three digits that count, or all before the point. */
export function shown(figure) {
  if (figure === undefined || figure === null || Number.isNaN(figure)) return '-';
  if (typeof figure !== 'number') return String(figure);
  const size = Math.abs(figure);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return figure.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** One table for the terminal, with its bars below it. */
export function asText({ title, note, columns, rows, bars = [] }) {
  const cells = [
    ['', ...columns],
    ...rows.map(({ name, figures }) => [name, ...columns.map((c) => shown(figures[c]))]),
  ];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const lines = cells.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '),
  );
  return ['', title, '', ...lines, ...(note ? ['', note] : []), ...(bars.length > 0 ? ['', ...bars.map(barText)] : [])]
    .map((line) => line.trimEnd())
    .join('\n');
}

const VERDICTS = new Map([
  [true, 'met'],
  [false, 'NOT MET'],
  [undefined, 'not measured'],
]);
const boundText = ({ direction = '', bar }) => `${direction} ${shown(bar)}`.trim();
const barText = (bar) =>
  `${VERDICTS.get(bar.isMet).padEnd(12)}  ${bar.text} ${shown(bar.value)} (bar: ${boundText(bar)})`;

/** Returns how many of the bars of these tables are met. */
export function score(tables) {
  const bars = tables.flatMap((table) => table.bars ?? []);
  return `${bars.filter(({ isMet }) => isMet).length} of ${bars.length} bars met`;
}

/** Returns a line for each bar of these tables that is not met or not measured. */
export function missedBars(tables) {
  return tables.flatMap((table) => (table.bars ?? []).filter(({ isMet }) => !isMet).map(barText));
}

/** All sections in Markdown. */
export function asMarkdown({ candidates, sections }) {
  return [
    ...(candidates.length > 0 ? [candidateTable(candidates), ''] : []),
    ...Object.values(sections).flatMap(sectionLines),
  ].join('\n');
}

function candidateTable(candidates) {
  const rows = candidates.map(({ name, version, validates }) => [name, version ?? '', validates ?? '']);
  return ['## Who is measured', '', ...table(['', 'version', 'what it validates'], rows, ['---', '---', '---'])].join(
    '\n',
  );
}

function sectionLines({ title, date, machine, loadBefore, command, rounds, seconds, tables }) {
  const how = `${date}; ${machine}; load ${loadBefore} before it began; ${rounds} rounds of ${seconds} s; \`${command}\`. ${score(tables)}.`;
  return [`## ${title}`, '', how, '', ...tables.flatMap(tableLines)];
}

const markdownVerdict = ({ isMet }) => (isMet === false ? '**not met**' : VERDICTS.get(isMet));

function tableLines({ title, note, columns, rows, bars = [] }) {
  const figures = rows.map((row) => [row.name, ...columns.map((column) => shown(row.figures[column]))]);
  const marks = ['---', ...columns.map(() => '---:')];
  const judged = bars.map((bar) => [bar.text, shown(bar.value), boundText(bar), markdownVerdict(bar)]);
  return [
    `### ${title}`,
    '',
    ...table(['', ...columns], figures, marks),
    '',
    ...(note ? [note, ''] : []),
    ...(bars.length > 0 ? [...table(['bar', 'measured', 'bar', ''], judged, ['---', '---:', '---:', '---']), ''] : []),
  ];
}

function table(head, rows, marks) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(marks), ...rows.map(line)];
}

const BEGIN = '<!-- what follows is written by npm run bench -->';
const END = '<!-- what was written by npm run bench ends here -->';

/** The page with everything between the two marks replaced. */
export function replaced(page, text) {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error('The page does not say where the figures belong');
  return `${page.slice(0, start)}${BEGIN}\n\n${text.trimEnd()}\n\n${page.slice(end)}`;
}
