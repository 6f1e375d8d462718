/** Pointing at a marker, with mouse, finger or keyboard: its card opens and its words light up. */

import { card } from './card.js';
import { entriesOf, light } from './marks.js';

/** @typedef {import('./types.js').Marker} KeptMarker */

/**
 * @param {HTMLElement} words
 * @param {(node: Node) => KeptMarker | null} markerOf
 * @param {(start: number, end: number) => Range[]} ranges
 */
export function attachCards(words, markerOf, ranges) {
  const open = (/** @type {HTMLElement} */ mark, /** @type {boolean} */ isSlow) => openCard(mark, isSlow, markerOf, ranges);
  words.addEventListener('pointerover', (event) => {
    const mark = markAt(event);
    if (mark && event.pointerType !== 'touch') open(mark, true);
  });
  words.addEventListener('pointerout', (event) => { if (markAt(event)) card.closeSoon(); });
  words.addEventListener('focusin', (event) => {
    const mark = markAt(event);
    if (mark?.matches(':focus-visible')) open(mark, false);
  });
  words.addEventListener('focusout', () => card.closeSoon());
  words.addEventListener('click', (event) => {
    const mark = markAt(event);
    if (!mark) return;
    // A finger cannot hover: its first tap shows the card, which has the link.
    const isTouch = /** @type {PointerEvent} */ (event).pointerType === 'touch';
    if (isTouch) event.preventDefault();
    if (isTouch || mark instanceof HTMLButtonElement) open(mark, false);
  });
  words.addEventListener('keydown', (event) => {
    const isInto = (event.key === 'Tab' && !event.shiftKey) || event.key === 'ArrowDown';
    if (isInto && markAt(event) && markAt(event) === card.anchor && card.enter()) event.preventDefault();
  });
}

/** Have the card that is open, if any, say what is known now. */
export function renewCard() {
  if (card.anchor) card.renew(entriesOf(card.anchor).all);
}

/**
 * @param {Event} event
 * @returns {HTMLElement | null}
 */
function markAt(event) {
  return event.target instanceof Element ? event.target.closest('.mark') : null;
}

/**
 * @param {HTMLElement} mark
 * @param {boolean} isSlow
 * @param {(node: Node) => KeptMarker | null} markerOf
 * @param {(start: number, end: number) => Range[]} ranges
 */
function openCard(mark, isSlow, markerOf, ranges) {
  const { all, index } = entriesOf(mark);
  const lightEntry = (/** @type {number} */ at) => {
    const entry = all[at];
    const kept = markerOf(/** @type {Node} */ (mark.parentNode));
    const supports = kept && entry.kind === 'source' ? kept.supports.filter((each) => each.number === entry.source.number) : [];
    light(supports.flatMap(({ start, end }) => ranges(start, end)), [mark]);
  };
  card.open(mark, { entries: all, index, onChange: lightEntry, onClose: () => light([]) }, isSlow);
  lightEntry(index);
}
