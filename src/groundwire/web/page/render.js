/** Makes elements of Markdown and keeps, for every text node, where its words are in the source. */

import { copyText, element, icon, outsideLink } from './dom.js';
import { MARKER, parseInlines } from './inlines.js';
import { Folding } from './folds.js';
import { hostOf } from './links.js';

/** @typedef {import('./blocks.js').Block} Block */
/** @typedef {import('./blocks.js').Line} Line */
/** @typedef {import('./inlines.js').Inline} Inline */
/** @typedef {{node: Text, start: number, end: number}} Piece  words of the source */
/** @typedef {{node: Node, start: number}} Shown  a marker, and its place in the source */
/** @typedef {{node: HTMLElement, pieces: Piece[], denied: string[], shown: Shown[]}} Made */
/** @typedef {{content: number, source: number}} Segment  where a stretch of content comes from */

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
 */

export class Renderer {
  /** @type {Piece[]} */
  pieces = [];
  /** Links that were not allowed. @type {string[]} */
  denied = [];
  /** @type {Shown[]} */
  shown = [];
  /** @type {Map<string, Made>} */
  made = new Map();

  /** @param {Setting} setting */
  constructor(setting) {
    this.setting = setting;
    this.level = setting.level;
    this.folding = new Folding(setting.folds, setting.unfolded);
    /** @type {HTMLElement} */
    this.container = element('p');
  }

  /**
   * @param {Block[]} blocks
   * @param {boolean} isOpen
   * @returns {HTMLElement[]}
   */
  blocks(blocks, isOpen) {
    return blocks.map((block, index) => {
      const made = this.#block(block, isOpen && index === blocks.length - 1);
      // Code reads from left to right; what is inside a block goes the way of the whole.
      if (block.type !== 'code') made.dir = 'auto';
      return made;
    });
  }

  /**
   * @param {Block} block
   * @param {boolean} isOpen
   * @returns {HTMLElement}
   */
  #block(block, isOpen) {
    switch (block.type) {
      case 'heading': return this.#heading(block, isOpen);
      case 'code': return this.#code(block);
      case 'quote': return this.#quote(block, isOpen);
      case 'list': return this.#list(block, isOpen);
      case 'table': return this.#table(block, isOpen);
      case 'rule': return element('hr');
      default: return this.#words(element('p'), block.lines, isOpen);
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
    return this.#words(element(tag, { class: `h${block.level}` }), block.lines, isOpen);
  }

  /** @param {Block} block */
  #code(block) {
    const { content, segments } = join(block.lines);
    const key = `code ${block.start} ${block.language}`;
    const old = segments.length === 1 ? this.setting.made.get(key) : undefined;
    const made = old ?? codeFrame(block.language ?? '');
    const inside = /** @type {HTMLElement} */ (made.node.querySelector('code'));
    const text = inside.firstChild;
    if (old && text instanceof Text && content.startsWith(text.data)) {
      text.appendData(content.slice(text.data.length));
      this.pieces.push({ node: text, start: segments[0].source, end: segments[0].source + content.length });
    } else {
      inside.replaceChildren();
      this.#text(inside, content, 0, content.length, segments);
    }
    this.made.set(key, made);
    return this.#foldedCode(made.node, segments[0]?.source ?? block.start, content.length);
  }

  /**
   * @param {HTMLElement} frame
   * @param {number} start
   * @param {number} length
   */
  #foldedCode(frame, start, length) {
    const [fold] = this.folding.within(start, start + length);
    frame.hidden = Boolean(fold) && !this.setting.unfolded.has(fold.index);
    return fold ? element('div', { class: 'folded-code' }, this.folding.button(fold, [frame]), frame) : frame;
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
      if (isTight && child.type === 'paragraph') this.#words(made, child.lines, isLast);
      else made.append(this.#block(child, isLast));
    });
    return made;
  }

  /**
   * @param {Block} block
   * @param {boolean} isOpen
   */
  #table(block, isOpen) {
    const rows = /** @type {Line[][]} */ (block.rows);
    const [head, ...body] = rows.map((cells, index) => {
      const isLast = isOpen && index === rows.length - 1;
      return this.#again('row', cells, isLast, () => this.#row(cells, block, index === 0, isLast));
    });
    const made = this.#frame(`table ${block.start}`, () => element('div', { class: 'table', role: 'group', tabindex: 0, 'aria-label': 'Table' },
      element('table', {}, element('thead'), element('tbody'))), (frame) => /** @type {Element} */ (frame.querySelector('tbody')), body);
    made.querySelector('thead')?.replaceChildren(head);
    return made;
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
    const made = this.setting.made.get(key) ?? { node: make(), pieces: [], denied: [], shown: [] };
    this.made.set(key, made);
    const place = inside(made.node);
    let same = 0;
    while (same < parts.length && place.children[same] === parts[same]) same++;
    while (place.children.length > same) place.lastElementChild?.remove();
    place.append(...parts.slice(same));
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
      row.append(this.#words(made, [cell], isOpen && column === cells.length - 1));
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
    if (made) {
      this.pieces.push(...made.pieces);
      this.denied.push(...made.denied);
      this.shown.push(...made.shown);
    } else {
      const [pieces, denied, shown] = [this.pieces.length, this.denied.length, this.shown.length];
      const node = make();
      made = {
        node, pieces: this.pieces.slice(pieces), denied: this.denied.slice(denied), shown: this.shown.slice(shown),
      };
    }
    this.made.set(key, made);
    return made.node;
  }

  /**
   * @template {HTMLElement} E
   * @param {E} parent
   * @param {Line[]} lines
   * @param {boolean} isOpen
   * @returns {E}
   */
  #words(parent, lines, isOpen) {
    const { content, segments } = join(lines);
    this.folding.begin();
    this.container = parent;
    this.#inlines(parent, parseInlines(content, isOpen), segments);
    return parent;
  }

  /**
   * @param {HTMLElement} parent
   * @param {Inline[]} nodes
   * @param {Segment[]} segments
   */
  #inlines(parent, nodes, segments) {
    for (const node of nodes) {
      const { start, end, text = '' } = node;
      if (node.type === 'text') this.#text(parent, text, start, end, segments);
      else if (node.type === 'break') parent.append(element('br'));
      else if (node.type === 'marker') this.#marker(parent, start, segments);
      else if (node.type === 'code') {
        const code = element('code', { dir: 'ltr' });
        parent.append(code);
        this.#text(code, text, start, end, segments);
      } else if (node.type === 'math') {
        const formula = element('span', { class: 'math', dir: 'ltr', 'data-display': node.isDisplay });
        parent.append(formula);
        this.#text(formula, text, start, end, segments);
      } else parent.append(this.#span(node, segments));
    }
  }

  /**
   * @param {Inline} node
   * @param {Segment[]} segments
   */
  #span(node, segments) {
    const { type, url = '', children = [] } = node;
    if (type !== 'link' && type !== 'image') {
      const made = element(/** @type {'em'} */ (type));
      this.#inlines(made, children, segments);
      return made;
    }
    const href = type === 'link' ? this.setting.allow(url) : null;
    const made = href ? outsideLink(href, {}) : element('span', { class: type === 'image' ? 'picture' : 'unlinked' });
    this.#inlines(made, children, segments);
    if (!href) this.#nameHost(made, url, type);
    return made;
  }

  /**
   * A link that is none and a picture that is not loaded still say where they wanted to go.
   * @param {HTMLElement} made
   * @param {string} url
   * @param {string} type
   */
  #nameHost(made, url, type) {
    this.denied.push(url);
    const host = hostOf(url);
    if (type === 'image' && !made.textContent) made.append('picture');
    if (host && !made.textContent?.includes(host)) made.append(element('span', { class: 'host' }, ` (${host})`));
  }

  /**
   * @param {HTMLElement} parent
   * @param {number} start
   * @param {Segment[]} segments
   */
  #marker(parent, start, segments) {
    const place = toSource(segments, start);
    const marker = this.setting.markers.get(place);
    if (marker) {
      const node = this.setting.showMarker(marker);
      this.folding.holder(parent, place, this.container).append(node);
      this.shown.push({ node, start: place });
    } else this.#text(parent, MARKER, start, start + 1, segments);
  }

  /**
   * @param {HTMLElement} parent
   * @param {string} text
   * @param {number} start
   * @param {number} end
   * @param {Segment[]} segments
   */
  #text(parent, text, start, end, segments) {
    if (text.length !== end - start) {
      const node = new Text(text);
      const place = toSource(segments, start);
      this.#holder(parent, place).append(node);
      this.pieces.push({ node, start: place, end: toSource(segments, end - 1) + 1 });
      return;
    }
    for (let at = start; at < end;) {
      const next = segments.find((segment) => segment.content > at);
      const until = Math.min(end, next?.content ?? end);
      const place = toSource(segments, at);
      let from = at;
      for (const cut of [...this.folding.cuts(place, place + until - at), place + until - at]) {
        const to = at + cut - place;
        this.#piece(this.#holder(parent, place + from - at), text.slice(from - start, to - start), place + from - at);
        from = to;
      }
      at = until;
    }
  }

  /**
   * Return where words go; those of code are folded with their block.
   * @param {HTMLElement} parent
   * @param {number} place
   */
  #holder(parent, place) {
    return parent.closest('pre, .math') ? parent : this.folding.holder(parent, place, this.container);
  }

  /**
   * @param {HTMLElement} parent
   * @param {string} text
   * @param {number} start
   */
  #piece(parent, text, start) {
    const last = this.pieces[this.pieces.length - 1];
    const isNext = last && last.node === parent.lastChild && last.end === start
      && last.node.length === last.end - last.start;
    if (isNext) {
      last.node.appendData(text);
      last.end += text.length;
    } else {
      const node = new Text(text);
      parent.append(node);
      this.pieces.push({ node, start, end: start + text.length });
    }
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
  return { node, pieces: [], denied: [], shown: [] };
}

/**
 * Return lines as one text, and which stretches of it stand together in the source.
 * @param {Line[]} lines
 * @returns {{content: string, segments: Segment[]}}
 */
function join(lines) {
  /** @type {Segment[]} */
  const segments = [];
  let content = 0;
  let source = -1;
  for (const line of lines) {
    if (line.at !== source) segments.push({ content, source: line.at });
    content += line.text.length + 1;
    source = line.at + line.text.length + 1;
  }
  return { content: lines.map((line) => line.text).join('\n'), segments };
}

/**
 * @param {Segment[]} segments
 * @param {number} at
 */
function toSource(segments, at) {
  let found = segments[0];
  for (const segment of segments) if (segment.content <= at) found = segment;
  return found ? found.source + at - found.content : at;
}
