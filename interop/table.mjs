/** Prints rows as a table, with what went wrong below it. */
export function print(title, rows, columns) {
  const names = Math.max(...rows.map(({ name }) => name.length));
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map(({ cells }) => (cells.get(column) ?? 'FAILED').length)),
  );
  const line = (name, revision, cells) =>
    [name.padEnd(names), revision.padEnd(10), ...cells.map((cell, index) => cell.padEnd(widths[index]))]
      .join('  ')
      .trimEnd();
  console.log(`\n${title}\n`);
  console.log(line('', 'revision', columns));
  for (const { name, revision, cells } of rows) {
    console.log(
      line(
        name,
        revision,
        columns.map((column) => cells.get(column) ?? 'FAILED'),
      ),
    );
  }
  for (const { name, revision, faults } of rows) {
    for (const fault of faults) console.log(`\n${name} (${revision}), ${fault}`);
  }
}
