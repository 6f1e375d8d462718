/** Lines of Markdown, each of which knows where it stands in the source. */

/** @typedef {{text: string, at: number, isLazy?: boolean}} Line */

/**
 * Return the lines of a text.
 * @param {string} text
 * @param {number} [at]  where it stands in the source
 * @returns {Line[]}
 */
export function linesOf(text, at = 0) {
  /** @type {Line[]} */
  const lines = [];
  for (const line of text.split('\n')) {
    lines.push({ text: line.endsWith('\r') ? line.slice(0, -1) : line, at });
    at += line.length + 1;
  }
  return lines;
}

/** @param {Line} line */
export function isBlank(line) {
  return !/\S/.test(line.text);
}

/** @param {string} text */
export function indentOf(text) {
  let columns = 0;
  for (const letter of text) {
    if (letter === ' ') columns++;
    else if (letter === '\t') columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/**
 * @param {Line} line
 * @param {number} count
 * @returns {Line}
 */
export function skip(line, count) {
  return { ...line, text: line.text.slice(count), at: line.at + count };
}

/**
 * @param {Line} line
 * @param {number} columns
 * @returns {Line}
 */
export function dedent(line, columns) {
  let count = 0;
  for (let seen = 0; seen < columns; count++) {
    if (line.text[count] === ' ') seen++;
    else if (line.text[count] === '\t') seen += 4 - (seen % 4);
    else break;
  }
  return skip(line, count);
}

/** @param {Line} line */
export function trimStart(line) {
  return skip(line, line.text.length - line.text.trimStart().length);
}

/** @param {Line[]} lines */
export function trimmed(lines) {
  const last = lines[lines.length - 1];
  lines[lines.length - 1] = { ...last, text: last.text.trimEnd() };
  return lines;
}

/**
 * Return the cells of a row; a pipe after a backslash is the cell's own.
 * @param {Line} line
 * @returns {Line[]}
 */
export function cellsOf(line) {
  const row = trimStart({ ...line, text: line.text.trimEnd() });
  const inner = row.text.startsWith('|') ? skip(row, 1) : row;
  /** @type {Line[]} */
  const found = [];
  let from = 0;
  for (let at = 0; at <= inner.text.length; at++) {
    if (inner.text[at] === '\\') at++;
    else if (inner.text[at] === '|' || (at === inner.text.length && at > from)) {
      const cell = trimStart(skip({ ...inner, text: inner.text.slice(0, at) }, from));
      found.push({ ...cell, text: cell.text.trimEnd() });
      from = at + 1;
    }
  }
  return found;
}
