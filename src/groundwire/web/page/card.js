/** The card of a marker: who says it, where, in which words. One for the whole page. */

import { copyText, element, icon, iconButton, outsideLink, sourceSign } from './dom.js';
import { hostOf, linkToQuote, safeUrl } from './links.js';
import { EVIDENCE, passageOf, shownTitle } from './marks.js';
import { capital, checkFacts } from './check-facts.js';
import { citation } from './copying.js';
import { aboutPage } from './dates.js';

/** @typedef {import('./marks.js').Entry} Entry */
/** @typedef {{entries: Entry[], index: number, onChange: (index: number) => void, onClose: () => void}} Content */

const OPEN_MS = 90;
const CLOSE_MS = 220;

class Card {
  #root = element('div', { class: 'card', role: 'dialog', popover: 'manual' });
  /** @type {HTMLElement | null} */
  anchor = null;
  /** @type {Content | null} */
  #content = null;
  #timer = 0;
  #isClosing = false;

  constructor() {
    this.#root.addEventListener('pointerenter', () => clearTimeout(this.#timer));
    this.#root.addEventListener('pointerleave', () => this.closeSoon());
    this.#root.addEventListener('focusout', (event) => {
      const next = event.relatedTarget;
      if (next instanceof Node && !this.#root.contains(next) && next !== this.anchor) this.close();
    });
    this.#root.addEventListener('keydown', (event) => this.#onKey(event));
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.anchor) this.close(true);
    });
    document.addEventListener('pointerdown', (event) => {
      const target = /** @type {Node} */ (event.target);
      if (this.anchor && !this.#root.contains(target) && !this.anchor.contains(target)) this.close();
    });
    addEventListener('scroll', (event) => {
      // Its own words move within it.
      if (event.target !== this.#root) this.#place();
    }, { passive: true, capture: true });
    addEventListener('resize', () => this.#place());
  }

  /**
   * @param {HTMLElement} anchor
   * @param {Content} content
   * @param {boolean} [isSlow]  wait a moment, in case the pointer only passes
   */
  open(anchor, content, isSlow = false) {
    clearTimeout(this.#timer);
    if (this.anchor === anchor || this.#isClosing) return;
    if (isSlow) {
      this.#timer = setTimeout(() => this.open(anchor, content), OPEN_MS);
      return;
    }
    this.close();
    this.anchor = anchor;
    this.#content = content;
    if (!this.#root.isConnected) document.body.append(this.#root);
    this.#show(content.index);
    this.#root.showPopover();
    anchor.setAttribute('aria-expanded', 'true');
    this.#place();
  }

  /**
   * Say what is known now of what is shown; whoever is in the card stays where they were.
   * @param {Entry[]} entries
   */
  renew(entries) {
    const content = /** @type {Content} */ (this.#content);
    const [before, after] = [content.entries, entries].map((each) => each[content.index]);
    content.entries = entries;
    if (before?.kind !== 'source' || after?.kind !== 'source' || isSame(before.standing, after.standing)) return;
    const focused = this.#controls().find((each) => each === document.activeElement)?.textContent;
    this.#show(content.index);
    this.#place();
    if (focused !== undefined) (this.#controls().find((each) => each.textContent === focused) ?? this.#controls()[0])?.focus();
  }

  closeSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (!this.#root.contains(document.activeElement)) this.close();
    }, CLOSE_MS);
  }

  /** @param {boolean} [returnsFocus] */
  close(returnsFocus = false) {
    clearTimeout(this.#timer);
    const { anchor } = this;
    if (!anchor) return;
    this.anchor = null;
    anchor.removeAttribute('aria-expanded');
    // The focus that a marker gets back must not open its card again.
    this.#isClosing = true;
    if (returnsFocus && this.#root.contains(document.activeElement)) anchor.focus();
    this.#isClosing = false;
    this.#root.hidePopover();
    this.#content?.onClose();
  }

  /** Move the keyboard into the card; false if there is none. */
  enter() {
    const first = this.#controls()[0];
    first?.focus();
    return Boolean(this.anchor && first);
  }

  #controls() {
    return /** @type {HTMLElement[]} */ ([...this.#root.querySelectorAll('a[href], button:not(:disabled)')]);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const controls = this.#controls();
    const edge = event.shiftKey ? controls[0] : controls[controls.length - 1];
    if (event.key === 'Tab' && document.activeElement === edge) {
      // The card stands right behind its marker: leaving it goes on from there.
      this.anchor?.focus();
      if (event.shiftKey) event.preventDefault();
      else this.close();
    } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') this.#turn(event.key === 'ArrowLeft' ? -1 : 1);
  }

  /** @param {number} step */
  #turn(step) {
    const content = /** @type {Content} */ (this.#content);
    const index = content.index + step;
    if (index < 0 || index >= content.entries.length) return;
    const hadFocus = this.#root.contains(document.activeElement);
    content.index = index;
    this.#show(index);
    this.#place();
    if (hadFocus) (this.#controls().find((each) => each.dataset.step === String(step)) ?? this.#controls()[0])?.focus();
    content.onChange(index);
  }

  /** @param {number} index */
  #show(index) {
    const { entries } = /** @type {Content} */ (this.#content);
    const entry = entries[index];
    const pager = entries.length > 1 && element('span', { class: 'pager' },
      iconButton('Previous source', 'left', () => this.#turn(-1), { disabled: index === 0, 'data-step': -1 }),
      element('span', {}, `${index + 1}/${entries.length}`),
      iconButton('Next source', 'right', () => this.#turn(1), { disabled: index === entries.length - 1, 'data-step': 1 }));
    const inside = entry.kind === 'source' ? sourceCard(entry, pager) : oddCard(entry, pager);
    this.#root.setAttribute('aria-label', entry.kind === 'source' ? `Source ${entry.source.number}` : 'No source');
    this.#root.replaceChildren(...inside);
  }

  #place() {
    if (!this.anchor) return;
    const mark = this.anchor.getBoundingClientRect();
    if (!this.anchor.isConnected || mark.bottom < 0 || mark.top > innerHeight) return this.close();
    // As high as it would be with all the room there is.
    this.#root.style.removeProperty('--room');
    const { offsetWidth: width, offsetHeight: height } = this.#root;
    const words = this.anchor.closest('.words')?.getBoundingClientRect() ?? { left: 12, right: innerWidth };
    const least = Math.max(12, Math.min(words.left, innerWidth - width - 12));
    const left = Math.max(least, Math.min(mark.left + mark.width / 2 - width / 2, innerWidth - width - 12));
    const [above, below] = [mark.top - 16, innerHeight - mark.bottom - 16];
    const isBelow = height <= below || (height > above && below >= above);
    const shown = Math.min(height, isBelow ? below : above);
    this.#root.style.setProperty('--room', `${shown}px`);
    this.#root.style.setProperty('--left', `${left}px`);
    this.#root.style.setProperty('--top', `${isBelow ? mark.bottom + 4 : mark.top - shown - 4}px`);
  }
}

/**
 * @param {Extract<Entry, {kind: 'source'}>} entry
 * @param {HTMLElement | false} pager
 */
function sourceCard(entry, pager) {
  const { source, quote, standing } = entry;
  const passage = passageOf(entry);
  const url = safeUrl(source.url);
  const title = shownTitle(source, standing.check);
  const href = url && (liveUrl(standing.check) ?? linkToQuote(url.href, passage));
  const copy = element('button', { type: 'button', class: 'quiet-button', onclick: () => copyText(citation(source), copy) }, icon('copy'), 'Copy citation');
  const about = aboutPage(source, standing.check);
  return [
    element('div', { class: 'card-head' }, sourceSign(source, standing.messageId), element('span', { class: 'card-domain' }, source.domain), pager),
    element('p', { class: 'card-title', dir: 'auto' }, href ? outsideLink(href, {}, title) : title),
    about && element('p', { class: 'card-note', dir: 'auto' }, capital(about)),
    ...checkFacts(source.number, quote, standing),
    element('p', { class: 'card-note' }, EVIDENCE[source.evidence]),
    element('div', { class: 'card-actions' },
      standing.view && (standing.check?.page_hash || source.is_ours) ? outsideLink(standing.view, { class: 'quiet-button' }, icon('page'), 'Show in the page as it was read') : null,
      href ? outsideLink(href, { class: 'quiet-button' }, icon('open'), passage ? 'Open at the passage' : 'Open page') : null, copy),
  ].filter((each) => each instanceof Node);
}

/**
 * Return where the page itself is at the passage, as the server says; null if it says nothing.
 * @param {import('./types.js').CitationCheck | null} check
 */
function liveUrl(check) {
  return check?.live_url ? safeUrl(check.live_url)?.href ?? null : null;
}

/**
 * @param {{kind: 'unknown' | 'struck', id: string}} entry
 * @param {HTMLElement | false} pager
 */
function oddCard(entry, pager) {
  const [title, text] = entry.kind === 'struck'
    ? ['Removed by policy', `The source ${hostOf(entry.id) || entry.id} is not among the domains that this workspace allows.`]
    : ['No such source', `The model wrote [${entry.id}], but no source has this number: no page stands behind these words.`];
  return [
    element('div', { class: 'card-head' }, element('strong', { class: 'card-domain' }, title), pager || null),
    element('p', { class: 'card-note' }, text),
  ];
}

/**
 * @param {import('./checks.js').Standing} one
 * @param {import('./checks.js').Standing} other
 */
function isSame(one, other) {
  return one.state === other.state && one.check === other.check && one.view === other.view;
}

export const card = new Card();
