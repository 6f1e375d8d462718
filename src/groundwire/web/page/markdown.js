/**
 * Markdown that is shown while it arrives.
 *
 * The text is kept in chunks, one for each block or part of a long one. A block that is followed by
 * another never changes again but for markers that come later; only what is after it is read and
 * shown anew.
 */

import { parseBlocks } from './blocks.js';
import { chunk, cut, keyOf, levelAfter, split, unlabel, weave } from './chunks.js';
import { element } from './dom.js';
import { countCodePoints } from './positions.js';
import { Renderer, arrange, insideOf } from './render.js';

/** @typedef {import('./chunks.js').Chunk} Chunk */
/** @typedef {import('./chunks.js').StreamedMarker} StreamedMarker */
/** @typedef {import('./chunks.js').Folded} Folded */
/** @typedef {string | StreamedMarker | Folded} Incoming */
/** @typedef {{chunks: Chunk[], index: number}} After  chunks from one of them on */

// Signs that mean nothing before the rest of their line is there.
const UNCLEAR = /^\s*(?:[-+*_=#>|~`:\s]+|\d{1,9}[.)]?\s*|`{3,}\S*|[-+*]\s+\[[ xX]?\]?\s*)$/;

/** So many blocks stand by themselves; those after them are in stretches, of so many each. */
const [SHORT, STRETCH] = [200, 100];

export class MarkdownView {
  /** @type {Chunk[]} */
  #closed = [];
  #open = chunk('', 0);
  /** @type {(position: number) => number} */
  #toBase = (position) => position;
  /** @type {Map<number, import('./chunks.js').KeptMarker>} */
  #kept = new Map();
  /** While the answer arrives: by position, without markers. @type {Folded[]} */
  #folded = [];
  /** @type {Set<number>} */
  #unfolded = new Set();
  /** Those with links that are not allowed, so far. @type {Set<Chunk>} */
  #denied = new Set();
  /** @type {HTMLElement[]} */
  #stretches = [];
  /** Where the markers on the page stand. @type {WeakMap<Node, {each: Chunk, start: number}>} */
  #places = new WeakMap();

  /**
   * @param {HTMLElement} root
   * @param {{showMarker: (marker: import('./marks.js').Marker) => Node, allow: (url: string) => string | null}} setting
   */
  constructor(root, setting) {
    this.root = root;
    this.setting = setting;
  }

  /**
   * Take what came since the last time: text, markers (or more numbers to one that is there), and
   * folds (or more of the same sentence). However much it is, a block is shown anew once.
   * @param {Incoming[]} pieces
   */
  take(pieces) {
    /** @type {Set<Chunk>} */
    const changed = new Set();
    const text = pieces.filter((each) => typeof each === 'string').join('');
    if (text) {
      this.#open.raw += text;
      if (text.includes('\n')) this.#close(false);
      changed.add(this.#open);
    }
    // Their places are in the whole text, so that it does not matter which text came between.
    for (const piece of pieces) if (typeof piece !== 'string' && !('domains' in piece)) changed.add(this.#mark(piece));
    for (const piece of pieces) if (typeof piece !== 'string' && 'domains' in piece) this.#fold(piece).forEach((each) => changed.add(each));
    this.#show(changed);
  }

  /** Show all that was held back because more could have followed. */
  finish() {
    this.#close(true);
    this.#show(new Set([this.#open]), false);
  }

  /** Show links that were not allowed when their words came. */
  relink() {
    for (const each of [...this.#denied]) {
      if (each.denied.some((url) => this.setting.allow(url))) {
        each.made = new Map();
        this.#render(each, each === this.#open);
      }
    }
  }

  /**
   * Show an answer as it is kept. What looks as before stays the same elements.
   * @param {Pick<import('./chunks.js').Answer, 'text' | 'markers' | 'folded'>} answer
   */
  replace(answer) {
    const { source, markers, kept, toBase } = unlabel(answer);
    this.#toBase = toBase;
    this.#kept = kept;
    const folds = (answer.folded ?? []).map(({ start, end, domains }, index) => (
      { start: toBase(start), end: toBase(end), domains, index }));
    const old = [...this.#closed, this.#open];
    this.#closed = [];
    let level = 2;
    for (const [index, wanted] of split(source, markers, folds).entries()) {
      const same = old[index];
      const whole = this.#wholeOf(wanted);
      Object.assign(wanted, { index, level, whole });
      const isSame = same && same.key === keyOf(wanted, false) && !same.denied.some((url) => this.setting.allow(url));
      const each = isSame ? Object.assign(same, { base: wanted.base, source: wanted.source, markers: wanted.markers, folds: wanted.folds, whole }) : wanted;
      this.#closed.push(each);
      if (!isSame) this.#render(each, false, { chunks: old, index });
      else if (whole?.nodes[0] && each.inner[0]?.parentNode !== insideOf(whole.nodes[0])) insideOf(whole.nodes[0]).append(...each.inner);
      level = levelAfter(each);
    }
    const still = new Set(this.#closed);
    for (const each of old) if (!still.has(each)) this.#remove(each);
    for (const stretch of this.#stretches.splice(Math.max(0, Math.ceil((this.#closed.length - SHORT) / STRETCH)))) stretch.remove();
    this.#open = chunk('', Infinity, { index: this.#closed.length });
  }

  /**
   * Return the places of words on the page.
   * @param {number} start  in code points of the kept answer's text
   * @param {number} end
   * @returns {Range[]}
   */
  ranges(start, end) {
    const [from, to] = [this.#toBase(start), this.#toBase(end)];
    /** @type {Range[]} */
    const ranges = [];
    for (const each of this.#closed) {
      if (each.base >= to || each.base + each.source.length <= from) continue;
      for (const piece of each.pieces) {
        const range = rangeIn(piece, from - each.base, to - each.base);
        if (range) ranges.push(range);
      }
    }
    return ranges;
  }

  /**
   * Return the kept marker that a node shows, null while the answer arrives.
   * @param {Node} node
   */
  markerOf(node) {
    const place = this.#places.get(node);
    return (place && this.#kept.get(place.each.base + place.start)) ?? null;
  }

  /**
   * Put a marker to its chunk, and return that.
   * @param {StreamedMarker} marker
   */
  #mark(marker) {
    const found = this.#chunkAt(marker.position);
    found.marks = found.marks.filter((each) => each.position !== marker.position);
    found.marks.push(marker);
    found.marks.sort((one, other) => one.position - other.position);
    return found;
  }

  /** @param {number} position */
  #chunkAt(position) {
    if (position >= this.#open.first || !this.#closed.length) return this.#open;
    let [low, high] = [0, this.#closed.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#closed[middle].first <= position) low = middle;
      else high = middle - 1;
    }
    return this.#closed[low];
  }

  /**
   * Keep a fold, and return the chunks in which words are folded by it.
   * @param {Folded} folded  in code points of the text as it came, without markers
   */
  #fold(folded) {
    this.#folded = [...this.#folded.filter((each) => each.start !== folded.start), folded]
      .sort((one, other) => one.start - other.start);
    return [...this.#closed, this.#open].filter((each) => {
      const before = JSON.stringify(each.folds);
      weave(each, this.#folded);
      return JSON.stringify(each.folds) !== before;
    });
  }

  /**
   * Close the blocks and parts that are followed by another one, or all of them.
   * @param {boolean} isWhole
   */
  #close(isWhole) {
    const before = this.#open;
    const { raw } = before;
    // The last line may still become something else.
    const sections = cut(isWhole ? raw : raw.slice(0, raw.lastIndexOf('\n') + 1), before);
    if (sections.length < 2) return;
    let [position, level] = [before.first, before.level];
    const made = sections.map(({ start, end, lead, isPart, isCut, number }, index) => {
      const isLast = index === sections.length - 1;
      const each = chunk(raw.slice(start, isLast ? undefined : end), position, { lead, isPart, isCut, number });
      const next = isLast ? Infinity : position + countCodePoints(each.raw);
      each.marks = before.marks.filter((mark) => mark.position >= each.first && mark.position < next);
      if (!index) Object.assign(each, { made: before.made, nodes: before.nodes, inner: before.inner, whole: before.whole });
      position = next;
      return each;
    });
    this.#denied.delete(before);
    this.#open = /** @type {Chunk} */ (made.pop());
    for (const each of made) {
      Object.assign(each, { level, index: this.#closed.length, whole: each.whole ?? this.#wholeOf(each) });
      this.#closed.push(each);
      weave(each, this.#folded);
      this.#render(each, false);
      level = levelAfter(each);
    }
    Object.assign(this.#open, { level, index: this.#closed.length, whole: this.#wholeOf(this.#open) });
  }

  /**
   * Return the chunk in whose element a part stands that comes after all that are closed.
   * @param {Chunk} each
   */
  #wholeOf(each) {
    const before = this.#closed.at(-1);
    return each.isPart && before ? before.whole ?? before : null;
  }

  /**
   * @param {Set<Chunk>} changed
   * @param {boolean} [isOpen]
   */
  #show(changed, isOpen = true) {
    for (const each of changed) {
      weave(each, this.#folded);
      this.#render(each, isOpen && each === this.#open);
    }
  }

  /**
   * @param {Chunk} each
   * @param {boolean} isOpen
   * @param {After} [after]  what comes after it on the page
   */
  #render(each, isOpen, after = this.#after(each)) {
    each.key = keyOf(each, isOpen);
    const renderer = new Renderer({
      ...this.setting, markers: each.markers, isOpen, level: each.level, made: each.made, folds: each.folds, unfolded: this.#unfolded, isCut: each.isCut,
    });
    const blocks = parseBlocks(isOpen ? settled(each) : each.source, each.lead);
    if (each.isPart && blocks.length) blocks[0].lines = blocks[0].lines.filter(({ at }) => at >= 0);
    if (each.number !== null && blocks.length) blocks[0].first = each.number;
    const frame = each.whole?.nodes[0];
    const inner = (frame && blocks.length && renderer.part(blocks[0], isOpen && blocks.length === 1)) || null;
    const nodes = renderer.blocks(inner ? blocks.slice(1) : blocks, isOpen, each.isPart && !inner);
    if (frame && (inner || each.inner.length)) arrange(insideOf(frame), each.inner, inner ?? [], firstInner(after, insideOf(frame)));
    const old = each.nodes[0];
    const parent = this.#parentOf(each);
    arrange(parent, each.nodes, nodes, firstNode(after, parent));
    Object.assign(each, { nodes, inner: inner ?? [], pieces: renderer.words.pieces, denied: renderer.words.denied, shown: renderer.words.shown, made: renderer.made });
    if (each.isCut && old && old !== nodes[0]) this.#takeOver(each);
    each.shown.forEach(({ node, start }) => this.#places.set(node, { each, start }));
    this.#denied[each.denied.length ? 'add' : 'delete'](each);
  }

  /** @param {Chunk} each */
  #parentOf({ index }) {
    if (index < SHORT) return this.root;
    const number = Math.floor((index - SHORT) / STRETCH);
    while (this.#stretches.length <= number) {
      const stretch = element('div', { class: 'stretch' });
      this.#stretches.push(stretch);
      this.root.append(stretch);
    }
    return this.#stretches[number];
  }

  /**
   * Put the later parts of a block into its new element.
   * @param {Chunk} whole
   */
  #takeOver(whole) {
    for (let index = whole.index + 1; this.#closed[index]?.whole === whole; index++) {
      insideOf(whole.nodes[0]).append(...this.#closed[index].inner);
    }
    if (this.#open.whole === whole) insideOf(whole.nodes[0]).append(...this.#open.inner);
  }

  /**
   * @param {Chunk} each
   * @returns {After}
   */
  #after(each) {
    return { chunks: this.#closed, index: each.index + 1 };
  }

  /** @param {Chunk} each */
  #remove(each) {
    for (const node of [...each.nodes, ...each.inner]) node.remove();
    this.#denied.delete(each);
  }
}

/**
 * @param {After} after
 * @param {Element} parent
 */
function firstNode({ chunks, index }, parent) {
  while (index < chunks.length && !chunks[index].nodes.length) index++;
  const node = chunks[index]?.nodes[0];
  // Stretches come after what stands by itself.
  return node?.parentNode === parent ? node : parent.querySelector(':scope > .stretch');
}

/**
 * @param {After} after
 * @param {Element} frame  of a long block
 */
function firstInner({ chunks, index }, frame) {
  for (let at = index; chunks[at]?.isPart; at++) if (chunks[at].inner[0]?.parentNode === frame) return chunks[at].inner[0];
  return null;
}

/**
 * Return what can be shown of a text that goes on, so that no sign flashes by as text.
 * @param {Chunk} each
 */
function settled({ source, isPart }) {
  const last = source.lastIndexOf('\n') + 1;
  const text = UNCLEAR.test(source.slice(last)) ? source.slice(0, last) : source;
  // A row of pipes is a table's head if a rule follows; until then it waits.
  const row = isPart ? null : /(?:^|\n[ \t]*\n)[ \t]*\|[^\n]*\n?$/.exec(text);
  return row ? text.slice(0, row.index) : text;
}

/**
 * @param {import('./words.js').Piece} piece
 * @param {number} from
 * @param {number} to
 */
function rangeIn(piece, from, to) {
  if (piece.end <= from || piece.start >= to) return null;
  const isExact = piece.node.length === piece.end - piece.start;
  const range = new Range();
  range.setStart(piece.node, isExact ? Math.max(0, from - piece.start) : 0);
  range.setEnd(piece.node, isExact ? Math.min(piece.node.length, to - piece.start) : piece.node.length);
  return range;
}
