/** Citation markers: numbered pills that say by their shape what was compared with the page. */

import { element, outsideLink } from './dom.js';
import { hostOf, linkToQuote, safeUrl } from './links.js';

/** @typedef {import('./dates.js').DatedSource} Source */
/** What a pill is made of, while the answer arrives and when it is kept. @typedef {Pick<import('./types.js').Marker, 'numbers' | 'unknown' | 'struck'> & {place?: number, supports?: import('./types.js').Support[]}} Marker  `place` is in the text without markers */
/** @typedef {{kind: 'source', source: Source, quote: string, standing: import('./checks.js').Standing} | {kind: 'unknown' | 'struck', id: string}} Entry */
/** Where a pill gets what it shows. @typedef {{sourceOf: (number: number) => Source | undefined, checkOf: import('./checks.js').AnswerChecks['of']}} Facts */

/** @type {Record<Source['evidence'], string>} */
export const EVIDENCE = {
  cited: 'Cited: the answer names this page',
  read: 'Read: the page was opened for this answer',
  found: 'Found: a search hit that was not opened',
  removed: 'Removed: the workspace does not allow this site',
};

/** @type {WeakMap<Node, {marker: Marker, all: Entry[], look: string}>} */
const shown = new WeakMap();

/**
 * Make the pills of one marker.
 * @param {Marker} marker
 * @param {Facts} facts
 */
export function markerNode(marker, facts) {
  const all = entries(marker, facts);
  const group = element('span', { class: 'marks' }, ...all.map((entry, index) => pill(entry, index)));
  shown.set(group, { marker, all, look: lookOf(all) });
  return group;
}

/**
 * @param {Marker} marker
 * @param {Facts} facts
 * @returns {Entry[]}
 */
function entries(marker, { sourceOf, checkOf }) {
  const known = marker.numbers.map((number) => {
    const source = sourceOf(number);
    const support = marker.supports?.find((each) => each.number === number);
    return /** @type {Entry} */ (source ? { kind: 'source', source, quote: support?.quote || source.quotes?.[0] || '', standing: checkOf(marker.place, number) } : { kind: 'unknown', id: String(number) });
  });
  return [
    ...known,
    ...marker.unknown.map((id) => /** @type {Entry} */ ({ kind: 'unknown', id })),
    ...marker.struck.map((id) => /** @type {Entry} */ ({ kind: 'struck', id })),
  ];
}

/**
 * Return all that the look and the label of pills depend on.
 * @param {Entry[]} all
 */
function lookOf(all) {
  return JSON.stringify(all.map((entry) => (entry.kind === 'source'
    ? [entry.source.url, nameOf(entry.source, entry.standing.check), entry.source.evidence, passageOf(entry), entry.standing.state, inWords(entry.standing)]
    : [entry.kind, entry.id])));
}

/**
 * Tell pills that are on the page what is known now; they stay the same elements.
 * @param {Element} group
 * @param {Facts} facts
 * @param {Marker} [marker]  what they are made of from now on
 */
export function updateMarker(group, facts, marker = shown.get(group)?.marker) {
  if (!marker) return;
  const all = entries(marker, facts);
  const look = lookOf(all);
  const isSame = shown.get(group)?.look === look;
  shown.set(group, { marker, all, look });
  if (isSame) return;
  const pills = [...group.children];
  all.map((entry, index) => pill(entry, index)).forEach((fresh, index) => {
    const old = pills[index];
    if (old?.tagName !== fresh.tagName) return old ? old.replaceWith(fresh) : group.append(fresh);
    for (const name of fresh.getAttributeNames()) old.setAttribute(name, /** @type {string} */ (fresh.getAttribute(name)));
  });
}

/**
 * Return the place of a group of pills in the text without markers.
 * @param {Element} group
 */
export function placeOf(group) {
  return shown.get(group)?.marker.place;
}

/**
 * Return what a pill's group stands for, and which of it the pill is.
 * @param {HTMLElement} mark
 */
export function entriesOf(mark) {
  return { all: shown.get(/** @type {Node} */ (mark.parentNode))?.all ?? [], index: Number(mark.dataset.index) };
}

/**
 * @param {Entry} entry
 * @param {number} index
 */
function pill(entry, index) {
  const shared = { class: 'mark', 'data-index': index, 'aria-haspopup': 'dialog' };
  if (entry.kind === 'source') {
    const { source, standing } = entry;
    const name = `${nameOf(source, standing.check)}: ${inWords(standing)}`;
    const properties = { ...shared, 'data-evidence': source.evidence, 'data-check': standing.state, 'data-number': source.number, 'aria-label': name };
    const inside = element('span', {}, String(source.number));
    const url = safeUrl(source.url);
    if (!url) return element('button', { ...properties, type: 'button' }, inside);
    return outsideLink(linkToQuote(url.href, passageOf(entry)), properties, inside);
  }
  const isStruck = entry.kind === 'struck';
  const id = isStruck && entry.id.includes('/') ? hostOf(entry.id) : entry.id;
  const name = isStruck ? `Source removed by policy: ${id}` : `Unknown source ${id}: the model named it, and no source has this number`;
  const label = isStruck ? element('s', {}, id.length > 3 ? [...id][0].toUpperCase() : id) : `${id.slice(0, 3)}?`;
  return element('button', { ...shared, type: 'button', 'data-evidence': entry.kind, 'aria-label': name },
    element('span', {}, label));
}

/**
 * Return a source's title on one line, else its URL.
 * @param {{title: string, url: string}} source
 */
export function titleOf({ title, url }) {
  return title.replace(/\s+/g, ' ').replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '').trim() || url;
}

/**
 * Return what a source is called on the page: without a title of its own that of the page as it was read, else its whole URL.
 * @param {{title: string, url: string, domain: string}} source
 * @param {import('./types.js').CitationCheck | null} [check]
 */
export function shownTitle(source, check = null) {
  const title = titleOf(source);
  if (title !== source.domain) return title;
  // The server puts the domain in the place of a missing title; Gemini's are domains, of pages elsewhere.
  const read = check?.state === 'not_compared' ? '' : check?.title;
  return titleOf({ title: read ?? '', url: title === hostOf(source.url) ? source.url : title });
}

/**
 * Return the words at which the page itself is opened: the page's own where they are known.
 * @param {{quote: string, standing: import('./checks.js').Standing}} entry
 */
export function passageOf({ quote, standing: { check } }) {
  return quote || (check?.nearest?.exact ?? '');
}

/**
 * Return what a marker says to those who do not see its shape: of what is not there, also what it is.
 * @param {import('./checks.js').Standing} standing
 */
function inWords({ state, label, check }) {
  return state === 'absent' && check ? [`${label}.`, ...check.facts].join(' ') : label;
}

/**
 * @param {Source} source
 * @param {import('./types.js').CitationCheck | null} check
 */
function nameOf(source, check) {
  return `Source ${source.number}: ${shownTitle(source, check)}, ${source.domain}`;
}

/**
 * Light up words, and the pills that go with them; nothing lights up nothing.
 * @param {Range[]} ranges
 * @param {Iterable<Element>} [marks]
 */
export function light(ranges, marks = []) {
  document.querySelectorAll('.is-lit').forEach((each) => each.classList.remove('is-lit'));
  for (const mark of marks) mark.classList.add('is-lit');
  if (globalThis.Highlight && CSS.highlights) CSS.highlights.set('support', new Highlight(...ranges));
  else for (const range of ranges) range.startContainer.parentElement?.classList.add('is-lit');
}
