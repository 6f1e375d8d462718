/**
 * Long blocks in parts: a list of ten thousand items that gets one more is read and shown anew in
 * its last part only. A part is read by itself, after the lines before it that it needs (its lead).
 */

/** @typedef {import('./blocks.js').Block} Block */
/** @typedef {{start: number, lead: string, isPart: boolean, number: number | null}} Section  `isPart` of one that goes on with the block before it, with `number` where that is a numbered list */

/** Most items, rows or blocks of a part, and most lines. */
export const MOST = { inside: 100, lines: 200 };
/** Any words, after which a line goes on with a paragraph whatever it begins with. */
const WORDS = 'x\n';

/**
 * Return where blocks begin, and the parts of long ones.
 * @param {string} text
 * @param {Block[]} blocks  of the text
 * @param {string} lead  with which they were read
 * @param {number | null} number  of the first item, where they begin with a part of a numbered list
 * @returns {Section[]}
 */
export function sectionsOf(text, blocks, lead, number) {
  return blocks.flatMap((block, index) => {
    const own = block.start < 0 ? lead : leadOf(text, block);
    const first = (index ? null : number) ?? block.first ?? null;
    const others = laterParts(block).map((at, before) => ({
      start: text.lastIndexOf('\n', at - 1) + 1, lead: own, isPart: true, number: first === null ? null : first + (before + 1) * MOST.inside,
    }));
    return [{ start: Math.max(0, block.start), lead: '', isPart: false, number: null }, ...others];
  });
}

/**
 * Return where the parts of a block after the first begin, somewhere on their first line.
 * @param {Block} block
 * @returns {number[]}
 */
function laterParts({ type, children, lines, isFenced, rows = [] }) {
  const every = (/** @type {number[]} */ places, /** @type {number} */ most) => places.filter((_, index) => index && index % most === 0);
  if (type === 'list' || type === 'quote') return every(children.map((child) => child.start), MOST.inside);
  if (type === 'table') return every(rows.slice(1).map(([cell]) => cell.at), MOST.inside);
  const isCut = type === 'paragraph' || (type === 'code' && isFenced);
  return isCut ? every(lines.flatMap(({ at }) => (at < 0 ? [] : [at])), MOST.lines) : [];
}

/**
 * Return the lines that a later part of a block is read after.
 * @param {string} text
 * @param {Block} block
 */
function leadOf(text, { type, start }) {
  const after = (/** @type {number} */ at) => text.indexOf('\n', at) + 1;
  if (type === 'table') return text.slice(start, after(after(start)));
  if (type === 'code') return text.slice(start, after(start));
  return type === 'paragraph' ? WORDS : '';
}
