/**
 * Markdown's blocks: CommonMark's core and tables. Raw HTML and reference definitions are text, and
 * so is a line that would make a heading of the words above it: `text⏎-` is a list that begins.
 *
 * Every line knows where it stands in the source, so that whatever is made of it knows as well.
 */

import { cellsOf, dedent, indentOf, isBlank, linesOf, skip, trimStart, trimmed } from './lines.js';

/** @typedef {import('./lines.js').Line} Line */
/**
 * @typedef {object} Block
 * @property {'paragraph'|'heading'|'code'|'quote'|'list'|'item'|'table'|'rule'} type
 * @property {number} start  where its first line starts in the source
 * @property {Line[]} lines  the words of a leaf, without the signs around them
 * @property {Block[]} children
 * @property {number} [level]  of a heading
 * @property {string} [language]  of code
 * @property {boolean} [isFenced]  of code
 * @property {number | null} [first]  the first number of a list, null for bullets
 * @property {boolean} [isTight]  of a list and its items
 * @property {boolean | null} [isChecked]  of an item that is a task
 * @property {string[]} [align]  of a table's columns
 * @property {Line[][]} [rows]  of a table, the first is its head
 */

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/;
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^\s`]*)/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-+*]|(\d{1,9})([.)]))(?:([ \t]+)|$)/;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const TASK = /^\[([ xX])\][ \t]+(?=\S)/;
const FORMULA = /^ {0,3}(\$\$|\\\[)/;
const MAX_FORMULA_LINES = 60;
const MAX_DEPTH = 24;

/**
 * Return the blocks of a text.
 * @param {string} text
 * @param {string} [lead]  what stands before it and has to be known, such as the head of a table
 * @returns {Block[]}
 */
export function parseBlocks(text, lead = '') {
  return read(linesOf(lead + text, -lead.length), 0);
}

/**
 * @param {Line[]} lines
 * @param {number} depth
 * @returns {Block[]}
 */
function read(lines, depth) {
  /** @type {Block[]} */
  const blocks = [];
  let index = 0;
  while (index < lines.length) {
    if (isBlank(lines[index])) index++;
    else {
      const [block, next] = readBlock(lines, index, depth);
      blocks.push(block);
      index = next;
    }
  }
  return blocks;
}

/**
 * @param {Line[]} lines
 * @param {number} index
 * @param {number} depth
 * @returns {[Block, number]}
 */
function readBlock(lines, index, depth) {
  const { text } = lines[index];
  if (indentOf(text) >= 4) return readIndentedCode(lines, index);
  if (FENCE.test(text)) return readFence(lines, index);
  if (HEADING.test(text)) return [heading(lines[index]), index + 1];
  if (RULE.test(text)) return [block('rule', lines[index]), index + 1];
  if (depth < MAX_DEPTH && QUOTE.test(text)) return readQuote(lines, index, depth);
  if (depth < MAX_DEPTH && ITEM.test(text)) return readList(lines, index, depth);
  const end = formulaEnd(lines, index);
  if (end) return [block('paragraph', lines[index], { lines: trimmed(lines.slice(index, end).map(trimStart)) }), end];
  if (isTable(lines, index)) return readTable(lines, index);
  return readParagraph(lines, index);
}

/**
 * @param {Block['type']} type
 * @param {Line} line
 * @param {Partial<Block>} [more]
 * @returns {Block}
 */
function block(type, line, more) {
  return { type, start: line.at, lines: [], children: [], ...more };
}

/** @param {Line} line */
function heading(line) {
  const match = /** @type {RegExpMatchArray} */ (HEADING.exec(line.text));
  const words = skip(line, match[0].length);
  const text = words.text.replace(/(^|[ \t]+)#+[ \t]*$/, '').trimEnd();
  return block('heading', line, { level: match[1].length, lines: [{ ...words, text }] });
}

/**
 * @param {Line[]} lines
 * @param {number} index
 * @returns {[Block, number]}
 */
function readIndentedCode(lines, index) {
  let end = index;
  for (let next = index; next < lines.length; next++) {
    if (isBlank(lines[next])) continue;
    if (indentOf(lines[next].text) < 4) break;
    end = next + 1;
  }
  const inside = lines.slice(index, end).map((line) => dedent(line, 4));
  return [block('code', lines[index], { lines: inside, language: '' }), end];
}

/**
 * @param {Line[]} lines
 * @param {number} index
 * @returns {[Block, number]}
 */
function readFence(lines, index) {
  const [, indent, fence, language] = /** @type {string[]} */ (FENCE.exec(lines[index].text));
  const closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\t]*$`);
  let end = index + 1;
  while (end < lines.length && !closing.test(lines[end].text)) end++;
  const inside = lines.slice(index + 1, end).map((line) => dedent(line, indent.length));
  // The line end before the closing fence, or before the end of the text, is not code.
  if (end === lines.length && inside.length && inside[inside.length - 1].text === '') inside.pop();
  return [block('code', lines[index], { lines: inside, language, isFenced: true }), end + 1];
}

/**
 * Tell whether a line goes on with a paragraph although it lacks the container's sign.
 * @param {Line} line
 * @param {Line | undefined} before
 */
function isLazy(line, before) {
  return before !== undefined && !isBlank(line) && !isBlank(before) && !interrupts(line)
    && !FENCE.test(before.text) && !HEADING.test(before.text) && !RULE.test(before.text);
}

/** @param {Line} line */
function interrupts({ text }) {
  if (FENCE.test(text) || HEADING.test(text) || RULE.test(text) || QUOTE.test(text)) return true;
  const item = ITEM.exec(text);
  return item !== null && item[5] !== undefined && item[0].length < text.length
    && (item[3] === undefined || item[3] === '1');
}

/**
 * @param {Line[]} lines
 * @param {number} index
 * @param {number} depth
 * @returns {[Block, number]}
 */
function readQuote(lines, index, depth) {
  /** @type {Line[]} */
  const inside = [];
  let isFenced = false;
  let end = index;
  for (; end < lines.length; end++) {
    const sign = QUOTE.exec(lines[end].text);
    if (sign) inside.push(skip(lines[end], sign[0].length));
    else if (!isFenced && isLazy(lines[end], inside.at(-1))) inside.push({ ...trimStart(lines[end]), isLazy: true });
    else break;
    if (sign && FENCE.test(inside[inside.length - 1].text)) isFenced = !isFenced;
  }
  return [block('quote', lines[index], { children: read(inside, depth + 1) }), end];
}

/**
 * @param {Line[]} lines
 * @param {number} index
 * @param {number} depth
 * @returns {[Block, number]}
 */
function readList(lines, index, depth) {
  const opening = /** @type {RegExpExecArray} */ (ITEM.exec(lines[index].text));
  const kind = opening[4] ?? opening[2];
  const list = block('list', lines[index], {
    first: opening[3] === undefined ? null : Number(opening[3]),
    isTight: true,
  });
  let end = index;
  while (end < lines.length) {
    const sign = ITEM.exec(lines[end].text);
    if (!sign || (sign[4] ?? sign[2]) !== kind || RULE.test(lines[end].text)) break;
    const [item, next] = readItem(lines, end, sign, depth);
    list.children.push(item);
    end = next;
    while (end < lines.length && isBlank(lines[end])) end++;
  }
  list.isTight = isTight(list, lines, index, end);
  return [list, end];
}

/**
 * @param {Line[]} lines
 * @param {number} index
 * @param {RegExpExecArray} sign
 * @param {number} depth
 * @returns {[Block, number]}
 */
function readItem(lines, index, sign, depth) {
  const space = sign[5] ?? '';
  const isEmpty = sign[0].length === lines[index].text.length;
  // Five spaces are one and an indented code block.
  const used = isEmpty || indentOf(space) > 4 ? Math.min(space.length, 1) : space.length;
  const width = isEmpty ? sign[1].length + sign[2].length + 1
    : indentOf(lines[index].text) + sign[2].length + (indentOf(space) > 4 ? 1 : indentOf(space));
  const inside = [skip(lines[index], sign[1].length + sign[2].length + used)];
  let isFenced = FENCE.test(inside[0].text);
  let end = index + 1;
  for (; end < lines.length; end++) {
    const line = lines[end];
    if (isBlank(line)) {
      if (isEmpty && end === index + 1) break;
      inside.push(dedent(line, width));
    } else if (indentOf(line.text) >= width) inside.push(dedent(line, width));
    else if (!isFenced && !ITEM.test(line.text) && isLazy(line, inside.at(-1))) inside.push({ ...trimStart(line), isLazy: true });
    else break;
    if (FENCE.test(inside[inside.length - 1].text)) isFenced = !isFenced;
  }
  const task = TASK.exec(inside[0].text);
  if (task) inside[0] = skip(inside[0], task[0].length);
  while (inside.length > 1 && isBlank(inside[inside.length - 1])) inside.pop();
  const isChecked = task ? task[1] !== ' ' : null;
  return [block('item', lines[index], { children: read(inside, depth + 1), lines: inside, isChecked }), end];
}

/**
 * Tell whether no blank line stands between a list's items or directly inside one of them.
 * @param {Block} list
 * @param {Line[]} lines
 * @param {number} index
 * @param {number} end
 */
function isTight(list, lines, index, end) {
  const starts = new Set(list.children.slice(1).map((item) => item.start));
  for (let at = index + 1; at < end; at++) {
    if (starts.has(lines[at].at) && isBlank(lines[at - 1])) return false;
  }
  return list.children.every((item) => {
    const inner = new Set(item.children.slice(1).map((child) => child.start));
    return !item.lines.some((line, at) => at > 0 && inner.has(line.at) && isBlank(item.lines[at - 1]));
  });
}

/**
 * @param {Line[]} lines
 * @param {number} index
 */
function isTable(lines, index) {
  const rule = lines[index + 1];
  return rule !== undefined && !rule.isLazy && indentOf(lines[index].text) < 4 && lines[index].text.includes('|')
    && TABLE_RULE.test(rule.text) && cellsOf(lines[index]).length === cellsOf(rule).length;
}

/**
 * @param {Line[]} lines
 * @param {number} index
 * @returns {[Block, number]}
 */
function readTable(lines, index) {
  const align = cellsOf(lines[index + 1]).map(({ text }) =>
    text.endsWith(':') ? (text.startsWith(':') ? 'center' : 'end') : text.startsWith(':') ? 'start' : '');
  const rows = [cellsOf(lines[index])];
  let end = index + 2;
  for (; end < lines.length && !isBlank(lines[end]) && !interrupts(lines[end]) && indentOf(lines[end].text) < 4; end++) {
    const row = cellsOf(lines[end]).slice(0, align.length);
    const after = { text: '', at: lines[end].at + lines[end].text.length };
    while (row.length < align.length) row.push(after);
    rows.push(row);
  }
  return [block('table', lines[index], { align, rows }), end];
}

/**
 * Return the line after a formula that begins on this one, 0 if none does: its signs, such as `+`
 * or `=` at the start of a line, are not those of blocks.
 * @param {Line[]} lines
 * @param {number} index
 */
function formulaEnd(lines, index) {
  const opening = FORMULA.exec(lines[index].text);
  if (!opening) return 0;
  const closing = opening[1] === '$$' ? '$$' : '\\]';
  for (let at = index; at < Math.min(lines.length, index + MAX_FORMULA_LINES) && !isBlank(lines[at]); at++) {
    const from = at === index ? opening[0].length : 0;
    if (lines[at].text.includes(closing, from)) return at + 1;
  }
  return 0;
}

/**
 * @param {Line[]} lines
 * @param {number} index
 * @returns {[Block, number]}
 */
function readParagraph(lines, index) {
  const inside = [trimStart(lines[index])];
  let end = index + 1;
  for (; end < lines.length && !isBlank(lines[end]); end++) {
    if (interrupts(lines[end]) || isTable(lines, end) || formulaEnd(lines, end)) break;
    inside.push(trimStart(lines[end]));
  }
  return [block('paragraph', lines[index], { lines: trimmed(inside) }), end];
}
