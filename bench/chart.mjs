// The chart: requests per second as a share of the floor's, a group for each way to call, a bar for each candidate. It has
// two sets of colours, for light and for dark pages.

const COLOURS = [
  ['mcpp', '#1a7f5a', '#3fcf94'],
  ['mcp-lite', '#b0711a', '#e0a04a'],
  ['tmcp', '#7a5cc4', '#a78bea'],
  ['official v2', '#2f6fb5', '#6aa9ec'],
  ['official v1', '#6d8ba8', '#93aec7'],
  ['fastmcp', '#a8505e', '#dd8794'],
];
const WIDTH = 760;
const LEFT = 100;
const RIGHT = 60;
const TOP = 64;
const HEADING = 20;
const BAR = 12;
const STEP = 15;
const GAP = 14;
const FONT = 'system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif';

/** The chart of all tables that have a label, as SVG. */
export function chartOf(tables) {
  const groups = tables.filter(({ label }) => label).map(({ label, rows }) => ({ label, bars: barsOf(rows) }));
  const most = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ share }) => share)));
  const scale = (share) => (share / most) * (WIDTH - LEFT - RIGHT);
  let y = TOP;
  const drawn = groups.map(({ label, bars }) => {
    const name = `<text class="label" x="16" y="${y + BAR}">${escaped(label)}</text>`;
    const top = y + HEADING;
    y = top + bars.length * STEP + GAP;
    return [name, ...bars.map((bar, index) => drawBar(bar, top + index * STEP, scale))].join('\n');
  });
  const floor = LEFT + scale(1);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img">`,
    '<title>Requests per second as a share of a server written by hand on node:http and stdin</title>',
    `<style>${styles()}</style>`,
    `<text class="title" x="16" y="24">tools/call: requests per second as a share of the floor</text>`,
    `<line class="floor" x1="${round(floor)}" y1="${TOP - 10}" x2="${round(floor)}" y2="${y - GAP + 4}"/>`,
    `<text class="small" x="${round(floor)}" y="${TOP - 16}" text-anchor="middle">floor = 1</text>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

/** The candidates in a fixed order; those that cannot be called in this way are not there. */
function barsOf(rows) {
  return COLOURS.flatMap(([name], colour) => {
    const share = rows.find((row) => row.name === name)?.figures.toFloor;
    return share === undefined ? [] : [{ name, share, colour }];
  });
}

function drawBar({ name, share, colour }, y, scale) {
  const width = Math.max(scale(share), 1);
  return [
    `<text class="small" x="${LEFT - 8}" y="${y + BAR - 2}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="c${colour}" x="${LEFT}" y="${y}" width="${round(width)}" height="${BAR}" rx="2"/>`,
    `<text class="small" x="${round(LEFT + width + 6)}" y="${y + BAR - 2}">${share.toFixed(2)}</text>`,
  ].join('\n');
}

function styles() {
  const fills = (which) => COLOURS.map((row, index) => `.c${index}{fill:${row[which]}}`).join('');
  const light = `text{font-family:${FONT};fill:#24292f}.title{font-size:15px;font-weight:600}.label{font-size:12px;font-weight:600}`;
  const small = '.small{font-size:11px;fill:#57606a}.floor{stroke:#8c959f;stroke-dasharray:4 3}';
  const dark = `text{fill:#e6edf3}.small{fill:#9da7b1}${fills(2)}`;
  return `${light}${small}${fills(1)}@media (prefers-color-scheme:dark){${dark}}`;
}

const round = (number) => Math.round(number * 10) / 10;
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
