/** Makes elements of the words of a block and keeps, for every text node, where it is in the source. */

import { element, outsideLink } from './dom.js';
import { MARKER, parseInlines } from './inlines.js';
import { hostOf } from './links.js';
import { join, stretchEnd, toSource } from './segments.js';

/** @typedef {import('./lines.js').Line} Line */
/** @typedef {import('./inlines.js').Inline} Inline */
/** @typedef {import('./segments.js').Segment} Segment */
/** @typedef {{node: Text, start: number, end: number}} Piece  words of the source */
/** @typedef {{node: Node, start: number}} Shown  a marker, and its place in the source */
/** @typedef {{pieces: Piece[], denied: string[], shown: Shown[]}} Made  what is known of some words */

export class Words {
  /** @type {Piece[]} */
  pieces = [];
  /** Links that were not allowed. @type {string[]} */
  denied = [];
  /** @type {Shown[]} */
  shown = [];

  /**
   * @param {Pick<import('./render.js').Setting, 'markers' | 'showMarker' | 'allow'>} setting
   * @param {import('./folds.js').Folding} folding
   */
  constructor(setting, folding) {
    this.setting = setting;
    this.folding = folding;
    /** @type {HTMLElement} */
    this.container = element('p');
  }

  /**
   * Take over what was made in the last rendering.
   * @param {Made} made
   */
  add({ pieces, denied, shown }) {
    this.pieces.push(...pieces);
    this.denied.push(...denied);
    this.shown.push(...shown);
  }

  /** How many there are of each, to ask later for what came `since`. */
  mark() {
    return { pieces: this.pieces.length, denied: this.denied.length, shown: this.shown.length };
  }

  /**
   * @param {ReturnType<Words['mark']>} before
   * @returns {Made}
   */
  since(before) {
    return { pieces: this.pieces.slice(before.pieces), denied: this.denied.slice(before.denied), shown: this.shown.slice(before.shown) };
  }

  /**
   * @template {HTMLElement} E
   * @param {E} parent
   * @param {Line[]} lines
   * @param {boolean} isOpen
   * @returns {E}
   */
  show(parent, lines, isOpen) {
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
      if (node.type === 'text') this.text(parent, text, start, end, segments);
      else if (node.type === 'break') parent.append(element('br'));
      else if (node.type === 'marker') this.#marker(parent, start, segments);
      else if (node.type === 'code') {
        const code = element('code', { dir: 'ltr' });
        parent.append(code);
        this.text(code, text, start, end, segments);
      } else if (node.type === 'math') {
        const formula = element('span', { class: 'math', dir: 'ltr', 'data-display': node.isDisplay });
        parent.append(formula);
        this.text(formula, text, start, end, segments);
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
      const holder = this.folding.holder(parent, place, this.container);
      keepTogether(holder.lastChild);
      holder.append(node);
      this.shown.push({ node, start: place });
    } else this.text(parent, MARKER, start, start + 1, segments);
  }

  /**
   * @param {HTMLElement} parent
   * @param {string} text
   * @param {number} start
   * @param {number} end
   * @param {Segment[]} segments
   */
  text(parent, text, start, end, segments) {
    if (text.length !== end - start) {
      const node = new Text(text);
      const place = toSource(segments, start);
      this.#holder(parent, place).append(node);
      this.pieces.push({ node, start: place, end: toSource(segments, end - 1) + 1 });
      return;
    }
    for (let at = start; at < end;) {
      const until = Math.min(end, stretchEnd(segments, at));
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
    return parent.closest('.code-part, .math') ? parent : this.folding.holder(parent, place, this.container);
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

/**
 * Let no line end at the space before a marker, which would then begin one.
 * @param {Node | null} before
 */
function keepTogether(before) {
  if (before instanceof Text && before.data.endsWith(' ')) before.replaceData(before.length - 1, 1, '\u00a0');
}
