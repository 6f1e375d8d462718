/** The text of an answer in chunks, one for each block or part of a long one, with its markers and folds. */

import { parseBlocks } from './blocks.js';
import { MARKER } from './inlines.js';
import { sectionsOf } from './parts.js';
import { countCodePoints, toUnits } from './positions.js';

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
 * @property {number} index  which of the answer's chunks it is
 * @property {number} base  where the source starts in the whole
 * @property {string} key  equal for chunks that look alike
 * @property {HTMLElement[]} nodes  on the first level
 * @property {HTMLElement[]} inner  in the element of the block whose part it is
 * @property {import('./words.js').Piece[]} pieces
 * @property {string[]} denied
 * @property {import('./words.js').Shown[]} shown
 * @property {Map<string, import('./render.js').Made>} made
 * @property {number} level  of the heading before
 * @property {string} lead  what is read before it
 * @property {boolean} isPart  it goes on with the block of the chunk before
 * @property {number | null} number  of the first item, of a part of a numbered list
 * @property {boolean} isCut  the chunk after goes on with its block
 * @property {Chunk | null} whole  of a part, the first chunk of its block
 */

/**
 * @param {string} raw
 * @param {number} first
 * @param {Partial<Chunk>} [more]
 * @returns {Chunk}
 */
export function chunk(raw, first, more) {
  return {
    raw, first, marks: [], source: raw, markers: new Map(), folds: [], index: 0, base: 0, key: '', nodes: [], inner: [],
    pieces: [], denied: [], shown: [], made: new Map(), level: 2, lead: '', isPart: false, number: null, isCut: false, whole: null, ...more,
  };
}

/**
 * Cut a text into its blocks and the parts of long ones.
 * @param {string} text
 * @param {Chunk | null} [before]  whose text it is
 * @returns {(import('./parts.js').Section & {end: number | undefined, isCut: boolean})[]}
 */
export function cut(text, before = null) {
  const { lead = '', isPart = false, number = null } = before ?? {};
  const sections = sectionsOf(text, parseBlocks(text, lead), lead, number);
  if (!sections.length) return [];
  Object.assign(sections[0], { start: 0, lead, isPart, number });
  return sections.map((each, index) => {
    const next = sections[index + 1];
    return { ...each, end: next?.start, isCut: next?.isPart ?? false };
  });
}

/**
 * Put a sign for each marker into the text, and find the folds in it.
 * @param {Chunk} each
 * @param {Folded[]} folded
 */
export function weave(each, folded) {
  let [source, at, position] = ['', 0, each.first];
  each.markers = new Map();
  for (const mark of each.marks) {
    const next = at + toUnits(each.raw, mark.position - position, at);
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
export function unlabel({ text, markers }) {
  let [source, at, position] = ['', 0, 0];
  /** @type {Map<number, import('./marks.js').Marker>} */
  const places = new Map();
  /** @type {Map<number, KeptMarker>} */
  const kept = new Map();
  /** @type {{from: number, less: number}[]} */
  const labels = [];
  let less = 0;
  for (const marker of [...markers].sort((one, other) => one.position - other.position)) {
    const start = at + toUnits(text, marker.position - position, at);
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
 * Return a kept answer as if it came anew, so that more can follow.
 * @param {Answer} answer
 * @returns {(string | StreamedMarker | Folded)[]}
 */
export function piecesOf({ text, markers, folded }) {
  const letters = [...text];
  let less = 0;
  const marks = markers.map((marker) => {
    const length = [...marker.label].length;
    letters.splice(marker.position - less, length);
    less += length;
    return { ...marker, position: marker.position - less + length, before: '', after: '' };
  });
  const plain = (/** @type {number} */ place) => place - markers.reduce(
    (sum, { position, label }) => sum + (position < place ? [...label].length : 0), 0);
  return [letters.join(''), ...marks, ...folded.map(({ start, end, domains }) => ({ start: plain(start), end: plain(end), domains }))];
}

/**
 * @param {string} source
 * @param {Map<number, import('./marks.js').Marker>} markers  in the order of their places
 * @param {import('./folds.js').Fold[]} folds
 * @returns {Chunk[]}
 */
export function split(source, markers, folds) {
  const places = [...markers];
  let next = 0;
  return cut(source).map(({ start, end = source.length, lead, isPart, isCut, number }) => {
    const each = chunk(source.slice(start, end), 0, { base: start, lead, isPart, isCut, number });
    for (; next < places.length && places[next][0] < end; next++) each.markers.set(places[next][0] - start, places[next][1]);
    each.folds = folds.filter((fold) => fold.start < end && fold.end > start)
      .map((fold) => ({ ...fold, start: fold.start - start, end: fold.end - start }));
    return each;
  });
}

/**
 * @param {Chunk} each
 * @param {boolean} isOpen
 */
export function keyOf(each, isOpen) {
  const markers = [...each.markers].map(([at, { numbers, unknown, struck }]) => [at, numbers, unknown, struck]);
  return JSON.stringify([isOpen, each.level, each.lead, each.isPart, each.isCut, each.number, each.source.trimEnd(), markers, each.folds]);
}

/** @param {Chunk} each */
export function levelAfter(each) {
  const headings = each.nodes.filter((node) => /^H\d$/.test(node.tagName));
  return headings.length ? Number(headings[headings.length - 1].tagName[1]) : each.level;
}

