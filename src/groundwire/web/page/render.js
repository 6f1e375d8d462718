/** Makes elements of Markdown and keeps, for every text node, where its words are in the source. */

import { copyText, element, icon } from './dom.js';
import { Folding } from './folds.js';
import { MOST } from './parts.js';
import { join } from './segments.js';
import { Words } from './words.js';

/** @typedef {import('./blocks.js').Block} Block */
/** @typedef {import('./lines.js').Line} Line */
/** @typedef {import('./words.js').Made} MadeWords */
/** @typedef {{node: HTMLElement, parts: HTMLElement[], words: MadeWords | null}} Made  `parts` are what a frame holds of its own */

/**
 * @typedef {object} Setting
 * @property {Map<number, import('./marks.js').Marker>} markers  by their place in the source
 * @property {(marker: import('./marks.js').Marker) => Node} showMarker
 * @property {(url: string) => string | null} allow  the link to use, null if it may not be one
 * @property {boolean} isOpen  more text may follow
 * @property {number} level  of the heading before
 * @property {Map<string, Made>} made  parts of the last rendering, to be used again
 * @property {import('./folds.js').Fold[]} folds  by their place in the source
 * @property {Set<number>} unfolded  those that the reader has opened
 * @property {boolean} isCut  a later part goes on with the block
 */

export class Renderer {
  /** @type {Map<string, Made>} */
  made = new Map();

  /** @param {Setting} setting */
  constructor(setting) {
    this.setting = setting;
    this.level = setting.level;
    this.folding = new Folding(setting.folds, setting.unfolded);
    this.words = new Words(setting, this.folding);
  }

  /**
   * @param {Block[]} blocks
   * @param {boolean} isOpen
   * @param {boolean} [isPart]  the first goes on with words before it
   * @returns {HTMLElement[]}
   */
  blocks(blocks, isOpen, isPart = false) {
    return blocks.map((block, index) => {
      const made = this.#block(block, isOpen && index === blocks.length - 1);
      // Code reads from left to right; what is inside a block goes the way of the whole. To say so
      // again would have the browser look at all of it.
      if (block.type !== 'code' && made.dir !== 'auto') made.dir = 'auto';
      if (isPart && !index) made.classList.add('is-part');
      return made;
    });
  }

  /**
   * Return a later part of a table or of code as what goes into its element, null where a part has
   * an element of its own.
   * @param {Block} block
   * @param {boolean} isOpen
   * @returns {HTMLElement[] | null}
   */
  part(block, isOpen) {
    switch (block.type) {
      case 'table': return [this.#frame(`rows ${block.start}`, () => element('tbody'), (body) => body, this.#rows(block, isOpen).slice(1))];
      case 'code': return this.#codePart(block, isOpen);
      default: return null;
    }
  }

  /**
   * @param {Block} block
   * @param {boolean} isOpen
   * @returns {HTMLElement}
   */
  #block(block, isOpen) {
    switch (block.type) {
      case 'heading': return this.#heading(block, isOpen);
      case 'code': return this.#code(block, isOpen);
      case 'quote': return this.#quote(block, isOpen);
      case 'list': return this.#list(block, isOpen);
      case 'table': return this.#table(block, isOpen);
      case 'rule': return element('hr');
      default: return this.words.show(element('p'), block.lines, isOpen);
    }
  }

  /**
   * @param {Block} block
   * @param {boolean} isOpen
   */
  #quote(block, isOpen) {
    const last = block.children.length - 1;
    return element('blockquote', {}, ...block.children.map((child, index) => this.#block(child, isOpen && index === last)));
  }

  /**
   * @param {Block} block
   * @param {boolean} isOpen
   */
  #heading(block, isOpen) {
    // A model may start with `###`; a screen reader's outline must not skip a level.
    const level = Math.min(/** @type {number} */ (block.level) + 2, this.level + 1, 6);
    this.level = level;
    const tag = /** @type {'h3'} */ (`h${level}`);
    return this.words.show(element(tag, { class: `h${block.level}` }), block.lines, isOpen);
  }

  /**
   * @param {Block} block
   * @param {boolean} isOpen
   */
  #code(block, isOpen) {
    const key = `code ${block.start} ${block.language}`;
    const made = this.setting.made.get(key) ?? codeFrame(block.language ?? '');
    const lines = this.#codeLines(block, made, isOpen);
    arrange(insideOf(made.node), made.parts, lines, null);
    made.parts = lines;
    this.made.set(key, made);
    const [fold] = this.#foldsOf(block);
    made.node.hidden = Boolean(fold) && !this.setting.unfolded.has(fold.index);
    if (!fold) return made.node;
    const folded = element('div', { class: 'folded-code' }, this.folding.button(fold, [made.node]), made.node);
    insides.set(folded, insideOf(made.node));
    return folded;
  }

  /**
   * @param {Block} block
   * @param {boolean} isOpen
   */
  #codePart(block, isOpen) {
    const made = this.setting.made.get('code') ?? { node: element('span'), parts: [], words: null };
    made.parts = this.#codeLines(block, made, isOpen);
    this.made.set('code', made);
    const [fold] = this.#foldsOf(block);
    for (const lines of made.parts) lines.hidden = Boolean(fold) && !this.setting.unfolded.has(fold.index);
    return fold ? [this.folding.button(fold, made.parts), ...made.parts] : made.parts;
  }

  /** @param {Block} block */
  #foldsOf({ lines, start }) {
    const last = lines[lines.length - 1];
    return this.folding.within(lines[0]?.at ?? start, last ? last.at + last.text.length : start);
  }

  /**
   * Return the lines of code, so many to an element: those before the last are not laid out again.
   * @param {Block} block
   * @param {Made} made  of the last rendering
   * @param {boolean} isOpen
   */
  #codeLines({ lines }, made, isOpen) {
    const starts = lines.map((_, index) => index).filter((index) => index % MOST.lines === 0);
    return starts.map((start) => {
      const inside = lines.slice(start, start + MOST.lines);
      const isLast = start + MOST.lines >= lines.length;
      // The line end between two of them is the first one's.
      const end = isLast && !this.setting.isCut ? '' : '\n';
      return this.#again(`code ${end}`, inside, isLast && isOpen, () => this.#codeText(inside, end, isLast ? made.parts.at(-1) : undefined));
    });
  }

  /**
   * @param {Line[]} lines
   * @param {string} end
   * @param {HTMLElement} [old]  which is added to where it has the beginning of the same text
   */
  #codeText(lines, end, old) {
    const { content, segments } = join(lines);
    const text = content + end;
    const shown = old?.firstChild;
    const [{ source }] = segments;
    if (old && segments.length === 1 && starts.get(old) === source && shown instanceof Text && text.startsWith(shown.data)) {
      if (text.length > shown.data.length) shown.appendData(text.slice(shown.data.length));
      this.words.pieces.push({ node: shown, start: source, end: source + text.length });
      return old;
    }
    const made = element('span', { class: 'code-part' });
    starts.set(made, source);
    this.words.text(made, text, 0, text.length, segments);
    return made;
  }

  /**
   * @param {Block} block
   * @param {boolean} isOpen
   */
  #list(block, isOpen) {
    const isOrdered = block.first !== null;
    const start = isOrdered && block.first !== 1 ? block.first : null;
    const isTask = block.children.some((item) => item.isChecked !== null);
    const items = block.children.map((item, index) => {
      const isLast = isOpen && index === block.children.length - 1;
      return this.#again(`item ${block.isTight}`, item.lines, isLast, () => this.#item(item, block.isTight, isLast));
    });
    return this.#frame(`list ${block.start} ${isOrdered} ${start} ${isTask}`,
      () => element(isOrdered ? 'ol' : 'ul', { start, class: isTask ? 'tasks' : null }), (list) => list, items);
  }

  /**
   * @param {Block} item
   * @param {boolean | undefined} isTight
   * @param {boolean} isOpen
   */
  #item(item, isTight, isOpen) {
    const made = element('li');
    if (item.isChecked !== null) {
      const name = item.isChecked ? 'Done' : 'To do';
      made.append(element('span', { class: 'task', role: 'img', 'aria-label': name, 'data-done': item.isChecked }));
    }
    item.children.forEach((child, index) => {
      const isLast = isOpen && index === item.children.length - 1;
      if (isTight && child.type === 'paragraph') this.words.show(made, child.lines, isLast);
      else made.append(this.#block(child, isLast));
    });
    return made;
  }

  /**
   * @param {Block} block
   * @param {boolean} isOpen
   */
  #table(block, isOpen) {
    const [head, ...body] = this.#rows(block, isOpen);
    const made = this.#frame(`table ${block.start}`, tableFrame, (frame) => insideOf(frame).children[1], body);
    const [place] = insideOf(made).children;
    if (place.firstChild !== head) place.replaceChildren(head);
    return made;
  }

  /**
   * @param {Block} block
   * @param {boolean} isOpen
   */
  #rows(block, isOpen) {
    const rows = /** @type {Line[][]} */ (block.rows);
    return rows.map((cells, index) => {
      const isLast = isOpen && index === rows.length - 1;
      return this.#again('row', cells, isLast, () => this.#row(cells, block, index === 0, isLast));
    });
  }

  /**
   * Use the frame of the last rendering again, and in it what has not changed: a list of a thousand
   * items that gets one more is changed at its end.
   * @param {string} key
   * @param {() => HTMLElement} make
   * @param {(frame: HTMLElement) => Element} inside
   * @param {HTMLElement[]} parts
   */
  #frame(key, make, inside, parts) {
    const made = this.setting.made.get(key) ?? { node: make(), parts: [], words: null };
    this.made.set(key, made);
    arrange(inside(made.node), made.parts, parts, null);
    made.parts = parts;
    return made.node;
  }

  /**
   * @param {Line[]} cells
   * @param {Block} block
   * @param {boolean} isHead
   * @param {boolean} isOpen
   */
  #row(cells, block, isHead, isOpen) {
    const row = element('tr');
    cells.forEach((cell, column) => {
      const align = block.align?.[column] || null;
      const made = isHead && cell.text ? element('th', { scope: 'col', 'data-align': align }) : element('td', { 'data-align': align });
      row.append(this.words.show(made, [cell], isOpen && column === cells.length - 1));
    });
    return row;
  }

  /**
   * Use a part of the last rendering again if nothing in it has changed.
   * @param {string} kind
   * @param {Line[]} lines
   * @param {boolean} isOpen
   * @param {() => HTMLElement} make
   */
  #again(kind, lines, isOpen, make) {
    if (isOpen) return make();
    const [first, last] = [lines[0], lines[lines.length - 1]];
    const inside = [...this.setting.markers].filter(([at]) => at >= first.at && at <= last.at + last.text.length);
    const folds = this.folding.within(first.at, last.at + last.text.length + 1);
    const key = JSON.stringify([kind, this.level, inside, lines, folds]);
    let made = this.setting.made.get(key);
    if (made?.words) this.words.add(made.words);
    else {
      const before = this.words.mark();
      made = { node: make(), parts: [], words: null };
      made.words = this.words.since(before);
    }
    this.made.set(key, made);
    return made.node;
  }
}

/** @param {string} language */
function codeFrame(language) {
  const copy = element('button', { type: 'button', class: 'quiet-button', onclick: () => copyText(code.textContent ?? '', copy) }, icon('copy'), 'Copy');
  const code = element('code');
  const name = language ? `Code, ${language}` : 'Code';
  const node = element('div', { class: 'code', dir: 'ltr', 'data-language': language || null },
    element('div', { class: 'code-head' }, element('span', {}, language || 'text'), copy),
    element('pre', { tabindex: 0, role: 'group', 'aria-label': name }, code));
  insides.set(node, code);
  return { node, parts: [], words: null };
}

function tableFrame() {
  const table = element('table', {}, element('thead'), element('tbody'));
  const node = element('div', { class: 'table', role: 'group', tabindex: 0, 'aria-label': 'Table' }, table);
  insides.set(node, table);
  return node;
}

/** Where lines of code begin in the source, by their element. @type {WeakMap<HTMLElement, number>} */
const starts = new WeakMap();
/** Where the later parts of a block go, by its element. @type {WeakMap<HTMLElement, Element>} */
const insides = new WeakMap();

/**
 * Return the element of a block into which its later parts go.
 * @param {HTMLElement} node
 */
export function insideOf(node) {
  return insides.get(node) ?? node;
}

/**
 * Put elements in the place of others; those that stay are not touched.
 * @param {Element} parent
 * @param {HTMLElement[]} old
 * @param {HTMLElement[]} nodes
 * @param {Node | null} before  where they go if there were none
 */
export function arrange(parent, old, nodes, before) {
  const last = old.findLast((node) => node.parentNode === parent);
  let next = last ? last.nextSibling : before;
  const staying = new Set(nodes);
  for (const node of old) if (!staying.has(node)) node.remove();
  for (const node of nodes.toReversed()) {
    if (node.parentNode !== parent || node.nextSibling !== next) parent.insertBefore(node, next);
    next = node;
  }
}
