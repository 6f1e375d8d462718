/** What one claim came to, on the card of its marker: the facts first, a model's opinion apart. */

import { element } from './dom.js';
import { toUnits } from './positions.js';

/** @typedef {import('./types.js').CitationCheck} CitationCheck */

/**
 * @param {number} number  of the source
 * @param {string} quote  the passage that was named, "" if none was
 * @param {import('./checks.js').Standing} standing
 */
export function checkFacts(number, quote, { state, label, check }) {
  const nearest = check?.nearest;
  const facts = check?.facts.length ? check.facts : [capital(label)];
  const isLost = check?.quote?.found === 'none';
  const opinion = check?.opinion?.label || check?.no_opinion;
  const isInside = check && nearest && placeInNearest(check);
  return [
    element('div', { class: 'card-check', 'data-check': state },
      element('span', { class: 'evidence', 'data-check': state, 'aria-hidden': 'true' }, String(number)),
      element('ul', {}, ...facts.map((fact) => element('li', { dir: 'auto' }, fact)))),
    check && nearest && passage(nearestName(nearest), ...nearestWords(check)),
    quote && !isInside && passage(isLost ? 'Named passage' : '', readable(quote)),
    opinion && element('p', { class: 'opinion', role: 'note', dir: 'auto' }, opinion),
  ];
}

/** Stands where quoted words begin and end; no page has it. */
const EDGE = '\ue002';

/**
 * Return what a person reads of Markdown: the words of links without their addresses, no signs.
 * @param {string} text
 */
export function readable(text) {
  return text.replace(/!?\[((?:[^[\]]|\[[^[\]]*\])*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s"[^"\n]*")?\)/g, '$1')
    .replace(/^[ >]*(?:#{1,6}[ \t]+|(?:`{3,}|~{3,}).*$|\|?[-:| ]{4,}$)/gm, '').replace(/^[ \t]*(?:(?:>[ \t]?)+(?:[-+*][ \t]+)?|[-+*][ \t]+)/gm, '')
    .replace(/\*\*|~~|`+/g, '').replace(/(?<![\w*\\])\*(?=[^\s*])([^*\n]*[^\s*\\])\*(?![\w*])|(?<![\w\\])_(?=[^\s_])([^_\n]*[^\s_\\])_(?!\w)/g, '$1$2')
    .replace(/^[ \t]*\|(.*)$/gm, (_, row) => row.split('|').map((/** @type {string} */ cell) => cell.trim()).filter(Boolean).join(' · '))
    .replace(/\\([!-/:-@[-`{-~])/g, '$1').trim();
}

/** @param {string} words */
export function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * @param {string} name
 * @param {...import('./dom.js').Child} words
 */
function passage(name, ...words) {
  const quoted = element('blockquote', { dir: 'auto' }, ...words);
  return name ? element('figure', { class: 'passage' }, element('figcaption', {}, name), quoted) : quoted;
}

/** @param {import('./types.js').Passage} nearest */
function nearestName({ label, heading, page_number: page }) {
  return [label, heading, page !== null && `page ${page}`].filter(Boolean).join(' · ');
}

/**
 * Return the nearest passage; what was quoted of it is marked.
 * @param {CitationCheck} check
 */
function nearestWords(check) {
  const { exact } = /** @type {import('./types.js').Passage} */ (check.nearest);
  const place = placeInNearest(check);
  const [start, end] = place?.map((at) => toUnits(exact, at)) ?? [0, exact.length];
  const whole = readable(exact);
  const [before, said, after] = readable(`${exact.slice(0, start)}${EDGE}${exact.slice(start, end)}${EDGE}${exact.slice(end)}`).split(EDGE);
  // What is marked from end to end, but for a full stop, needs no mark.
  if (!/[\p{L}\p{N}]/u.test(before + after) || after === undefined) return [whole];
  return [before, element('mark', {}, said), after];
}

/**
 * Return where the quote is in the nearest passage, null if it is not whole there.
 * @param {CitationCheck} check
 */
function placeInNearest({ nearest, quote }) {
  if (!nearest || !quote || quote.found === 'none' || quote.start === null || quote.end === null) return null;
  return quote.start >= nearest.start && quote.end <= nearest.end ? [quote.start - nearest.start, quote.end - nearest.start] : null;
}
