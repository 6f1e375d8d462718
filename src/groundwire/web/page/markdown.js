/**
 * Markdown that is shown while it arrives.
 *
 * The text is kept in chunks, one for each block. A block that is followed by another never
 * changes again but for markers that come later; only what is after it is read and shown anew.
 */

import { parseBlocks } from './blocks.js';
import { MARKER } from './inlines.js';
import { countCodePoints, toUnits } from './positions.js';
import { Renderer } from './render.js';

/** @typedef {import('./render.js').Piece} Piece */
/** @typedef {import('./types.js').MarkerEvent} StreamedMarker */
/** @typedef {import('./types.js').Marker} KeptMarker */
/** @typedef {import('./types.js').Answer} Answer */
/** @typedef {import('./types.js').Folded} Folded */

/**
 * @typedef {object} Chunk
 * @property {string} raw  its text as it came, without markers
 * @property {number} first  the code points before it, markers not counted
 * @property {StreamedMarker[]} marks  by position
 * @property {string} source  with a sign for each marker
 * @property {Map<number, import('./marks.js').Marker>} markers  by their place in the source
 * @property {import('./folds.js').Fold[]} folds  by their place in the source
 * @property {number} base  where the source starts in the whole
 * @property {string} key  equal for chunks that look alike
 * @property {HTMLElement[]} nodes
 * @property {Piece[]} pieces
 * @property {string[]} denied
 * @property {import('./render.js').Shown[]} shown
 * @property {Map<string, import('./render.js').Made>} made
 * @property {number} level  of the heading before
 */

// Signs that mean nothing before the rest of their line is there.
const UNCLEAR = /^\s*(?:[-+*_=#>|~`:\s]+|\d{1,9}[.)]?\s*|`{3,}\S*|[-+*]\s+\[[ xX]?\]?\s*)$/;

export class MarkdownView {
  /** @type {Chunk[]} */
  #closed = [];
  #open = chunk('', 0);
  /** @type {(position: number) => number} */
  #toBase = (position) => position;
  /** @type {Map<number, KeptMarker>} */
  #kept = new Map();
  /** While the answer arrives: by position, without markers. @type {Folded[]} */
  #folded = [];
  /** @type {Set<number>} */
  #unfolded = new Set();

  /**
   * @param {HTMLElement} root
   * @param {{showMarker: (marker: import('./marks.js').Marker) => Node, allow: (url: string) => string | null}} setting
   */
  constructor(root, setting) {
    this.root = root;
    this.setting = setting;
  }

  /**
   * Take the next text.
   * @param {string} text
   */
  append(text) {
    this.#open.raw += text;
    if (text.includes('\n')) this.#close(false);
    weave(this.#open, this.#folded);
    this.#render(this.#open, true);
  }

  /**
   * Put a marker in its place, or more numbers to one that is there.
   * @param {StreamedMarker} marker
   */
  mark(marker) {
    const index = this.#closed.findLastIndex((each) => each.first <= marker.position);
    const isLast = marker.position >= this.#open.first || index < 0;
    const found = isLast ? this.#open : this.#closed[index];
    found.marks = found.marks.filter((each) => each.position !== marker.position);
    found.marks.push(marker);
    found.marks.sort((one, other) => one.position - other.position);
    weave(found, this.#folded);
    this.#render(found, isLast);
  }

  /**
   * Fold words that are there, or more of the same sentence.
   * @param {Folded} folded  in code points of the text as it came, without markers
   */
  fold(folded) {
    this.#folded = [...this.#folded.filter((each) => each.start !== folded.start), folded]
      .sort((one, other) => one.start - other.start);
    for (const each of [...this.#closed, this.#open]) {
      const before = JSON.stringify(each.folds);
      weave(each, this.#folded);
      if (JSON.stringify(each.folds) !== before) this.#render(each, each === this.#open);
    }
  }

  /** Show all that was held back because more could have followed. */
  finish() {
    this.#close(true);
    weave(this.#open, this.#folded);
    this.#render(this.#open, false);
  }

  /** Show links that were not allowed when their words came. */
  relink() {
    for (const each of [...this.#closed, this.#open]) {
      if (each.denied.some((url) => this.setting.allow(url))) {
        each.made = new Map();
        this.#render(each, each === this.#open);
      }
    }
  }

  /**
   * Show an answer as it is kept. What looks as before stays the same elements.
   * @param {Pick<Answer, 'text' | 'markers' | 'folded'>} answer
   */
  replace(answer) {
    const { source, markers, kept, toBase } = unlabel(answer);
    this.#toBase = toBase;
    this.#kept = kept;
    const folds = (answer.folded ?? []).map(({ start, end, domains }, index) => (
      { start: toBase(start), end: toBase(end), domains, index }));
    const wanted = split(source, markers, folds);
    const old = [...this.#closed, this.#open];
    let level = 2;
    this.#closed = wanted.map((each, index) => {
      const same = old[index];
      each.level = level;
      const isSame = same && same.key === keyOf(each, false) && !same.denied.some((url) => this.setting.allow(url));
      if (isSame) each = Object.assign(same, { base: each.base, source: each.source, markers: each.markers, folds: each.folds });
      else {
        const before = old.slice(index).find((other) => other.nodes.length)?.nodes[0] ?? null;
        this.#render(each, false, before);
      }
      level = levelAfter(each);
      return each;
    });
    const still = new Set(this.#closed);
    for (const each of old) if (!still.has(each)) each.nodes.forEach((node) => node.remove());
    this.#open = chunk('', Infinity);
    this.root.append(...this.#closed.flatMap((each) => each.nodes).filter((node) => node.parentNode !== this.root));
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
    for (const each of this.#closed) {
      const found = each.shown.find((shown) => shown.node === node);
      if (found) return this.#kept.get(each.base + found.start) ?? null;
    }
    return null;
  }

  /**
   * Close the blocks that are followed by another one, or all of them.
   * @param {boolean} isWhole
   */
  #close(isWhole) {
    const { raw, first, marks, made, nodes, level: before } = this.#open;
    // The last line may still become something else.
    const blocks = parseBlocks(isWhole ? raw : raw.slice(0, raw.lastIndexOf('\n') + 1));
    if (blocks.length < 2) return;
    const starts = [0, ...blocks.slice(1).map((block) => block.start)];
    let [position, level] = [first, before];
    this.#open = chunk('', first);
    for (const [index, start] of starts.entries()) {
      const isLast = index === starts.length - 1;
      const each = chunk(raw.slice(start, isLast ? undefined : starts[index + 1]), position);
      const end = isLast ? Infinity : position + countCodePoints(each.raw);
      each.marks = marks.filter((mark) => mark.position >= each.first && mark.position < end);
      Object.assign(each, { level, made: index ? each.made : made, nodes: index ? [] : nodes });
      if (isLast) this.#open = each;
      else {
        this.#closed.push(each);
        weave(each, this.#folded);
        this.#render(each, false);
      }
      [position, level] = [end, levelAfter(each)];
    }
  }

  /**
   * @param {Chunk} each
   * @param {boolean} isOpen
   * @param {Node | null} [before]
   */
  #render(each, isOpen, before) {
    each.key = keyOf(each, isOpen);
    const renderer = new Renderer({
      ...this.setting, markers: each.markers, isOpen, level: each.level, made: each.made, folds: each.folds, unfolded: this.#unfolded,
    });
    const blocks = parseBlocks(isOpen ? settled(each.source) : each.source);
    const nodes = renderer.blocks(blocks, isOpen);
    const last = each.nodes[each.nodes.length - 1];
    let next = last ? last.nextSibling : before ?? this.#after(each);
    for (const node of each.nodes) if (!nodes.includes(node)) node.remove();
    for (const node of nodes.toReversed()) {
      if (node.parentNode !== this.root || node.nextSibling !== next) this.root.insertBefore(node, next);
      next = node;
    }
    Object.assign(each, { nodes, pieces: renderer.pieces, denied: renderer.denied, shown: renderer.shown, made: renderer.made });
  }

  /** @param {Chunk} each */
  #after(each) {
    const index = this.#closed.indexOf(each);
    if (index < 0) return null;
    return [...this.#closed.slice(index + 1), this.#open].find((other) => other.nodes.length)?.nodes[0] ?? null;
  }
}

/**
 * @param {string} raw
 * @param {number} first
 * @returns {Chunk}
 */
function chunk(raw, first) {
  return {
    raw, first, marks: [], source: raw, markers: new Map(), folds: [], base: 0, key: '', nodes: [],
    pieces: [], denied: [], shown: [], made: new Map(), level: 2,
  };
}

/**
 * Put a sign for each marker into the text, and find the folds in it.
 * @param {Chunk} each
 * @param {Folded[]} folded
 */
function weave(each, folded) {
  let [source, at, position] = ['', 0, each.first];
  each.markers = new Map();
  for (const mark of each.marks) {
    const next = at + toUnits(each.raw.slice(at), mark.position - position);
    source += each.raw.slice(at, next) + mark.before;
    each.markers.set(source.length, told(mark));
    source += MARKER + mark.after;
    [at, position] = [next, mark.position];
  }
  each.source = source + each.raw.slice(at);
  each.folds = folded.length ? foldsIn(each, folded) : [];
}

/**
 * Return the folds of a chunk; a marker at their end stays outside.
 * @param {Chunk} each
 * @param {Folded[]} folded
 * @returns {import('./folds.js').Fold[]}
 */
function foldsIn(each, folded) {
  const last = each.first + countCodePoints(each.raw);
  const width = (/** @type {StreamedMarker} */ mark) => mark.before.length + MARKER.length + mark.after.length;
  const place = (/** @type {number} */ position, /** @type {(mark: StreamedMarker) => boolean} */ isBefore) => (
    toUnits(each.raw, Math.max(0, position - each.first)) + each.marks.filter(isBefore).reduce((sum, mark) => sum + width(mark), 0));
  return folded.map((fold, index) => ({ ...fold, index }))
    .filter((fold) => fold.start < last && fold.end > each.first)
    .map(({ start, end, domains, index }) => ({
      start: place(start, (mark) => mark.position <= start), end: place(end, (mark) => mark.position < end), domains, index,
    }));
}

/** @param {{position: number, check_position?: number, numbers: number[], unknown?: string[], struck?: string[]}} marker */
function told({ position, check_position: place = position, numbers, unknown = [], struck = [] }) {
  return { numbers, unknown, struck, place };
}

/**
 * Return the text with one sign in place of each label.
 * @param {Pick<Answer, 'text' | 'markers'>} answer
 */
function unlabel({ text, markers }) {
  let [source, at, position] = ['', 0, 0];
  /** @type {Map<number, import('./marks.js').Marker>} */
  const places = new Map();
  /** @type {Map<number, KeptMarker>} */
  const kept = new Map();
  /** @type {{from: number, less: number}[]} */
  const labels = [];
  let less = 0;
  for (const marker of [...markers].sort((one, other) => one.position - other.position)) {
    const start = at + toUnits(text.slice(at), marker.position - position);
    source += text.slice(at, start);
    places.set(source.length, told(marker));
    kept.set(source.length, marker);
    source += MARKER;
    less += marker.label.length - 1;
    at = start + marker.label.length;
    position = marker.position + countCodePoints(marker.label);
    labels.push({ from: at, less });
  }
  source += text.slice(at);
  const toBase = (/** @type {number} */ codePoints) => {
    const units = toUnits(text, codePoints);
    return units - (labels.findLast((label) => label.from <= units)?.less ?? 0);
  };
  return { source, markers: places, kept, toBase };
}

/**
 * @param {string} source
 * @param {Map<number, import('./marks.js').Marker>} markers
 * @param {import('./folds.js').Fold[]} folds
 * @returns {Chunk[]}
 */
function split(source, markers, folds) {
  const starts = parseBlocks(source).map((block) => block.start);
  if (!starts.length) return [];
  starts[0] = 0;
  return starts.map((start, index) => {
    const each = chunk(source.slice(start, starts[index + 1]), 0);
    const inside = [...markers].filter(([at]) => at >= start && at < start + each.raw.length);
    each.markers = new Map(inside.map(([at, marker]) => [at - start, marker]));
    each.base = start;
    each.folds = folds.filter((fold) => fold.start < start + each.raw.length && fold.end > start)
      .map((fold) => ({ ...fold, start: fold.start - start, end: fold.end - start }));
    return each;
  });
}

/**
 * @param {Chunk} each
 * @param {boolean} isOpen
 */
function keyOf(each, isOpen) {
  const markers = [...each.markers].map(([at, { numbers, unknown, struck }]) => [at, numbers, unknown, struck]);
  return JSON.stringify([isOpen, each.level, each.source.trimEnd(), markers, each.folds]);
}

/** @param {Chunk} each */
function levelAfter(each) {
  const headings = each.nodes.filter((node) => /^H\d$/.test(node.tagName));
  return headings.length ? Number(headings[headings.length - 1].tagName[1]) : each.level;
}

/**
 * Return what can be shown of a text that goes on, so that no sign flashes by as text.
 * @param {string} text
 */
function settled(text) {
  const last = text.lastIndexOf('\n') + 1;
  if (UNCLEAR.test(text.slice(last))) text = text.slice(0, last);
  // A row of pipes is a table's head if a rule follows; until then it waits.
  const row = /(?:^|\n[ \t]*\n)[ \t]*\|[^\n]*\n?$/.exec(text);
  return row ? text.slice(0, row.index) : text;
}

/**
 * @param {Piece} piece
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
