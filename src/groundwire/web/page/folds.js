/** Words that rest on a source which the policy removed: folded behind a button that says why. */

import { element, icon } from './dom.js';

/** @typedef {{start: number, end: number, domains: string[], index: number}} Fold  a place in the source */

/**
 * Return what is said in place of the words, the same everywhere.
 * @param {string[]} domains
 */
export function foldedNote(domains) {
  return `(Folded by policy: this rests on ${domains.join(', ') || 'a page'}.)`;
}

/** Puts words into folds while they are rendered: one button for each fold in each block. */
export class Folding {
  /** @type {{fold: Fold, parts: HTMLElement[]} | null} */
  #current = null;

  /**
   * @param {Fold[]} folds
   * @param {Set<number>} unfolded  those that the reader has opened, by their index
   */
  constructor(folds, unfolded) {
    this.folds = folds;
    this.unfolded = unfolded;
  }

  /** Begin a block: its words get a button of their own. */
  begin() {
    this.#current = null;
  }

  /**
   * Return the places at which words must be cut, between two places of the source.
   * @param {number} start
   * @param {number} end
   */
  cuts(start, end) {
    const borders = this.folds.flatMap((fold) => [fold.start, fold.end]);
    return borders.filter((border) => border > start && border < end);
  }

  /**
   * Return the folds that overlap a stretch of the source.
   * @param {number} start
   * @param {number} end
   */
  within(start, end) {
    return this.folds.filter((fold) => fold.start < end && fold.end > start);
  }

  /**
   * Return where words of this place go: into their parent, or into a part of it that is folded.
   * @param {HTMLElement} parent
   * @param {number} place
   * @param {HTMLElement} block
   */
  holder(parent, place, block) {
    const [fold] = this.within(place, place + 1);
    if (!fold) return parent;
    if (this.#current?.fold !== fold) {
      this.#current = { fold, parts: [] };
      // A button inside a link could not be pressed.
      (parent.closest('a') ? block : parent).append(this.button(fold, this.#current.parts));
    }
    const { parts } = this.#current;
    const last = parts[parts.length - 1];
    if (last && last === parent.lastChild) return last;
    const part = element('span', { class: 'folded-words', hidden: !this.unfolded.has(fold.index) });
    parent.append(part);
    parts.push(part);
    return part;
  }

  /**
   * Make the button that shows and hides the parts of a fold.
   * @param {Fold} fold
   * @param {HTMLElement[]} parts
   */
  button(fold, parts) {
    const isOpen = this.unfolded.has(fold.index);
    const button = element('button', { type: 'button', class: 'fold', 'aria-expanded': String(isOpen) },
      icon('shield'), foldedNote(fold.domains).slice(1, -2));
    button.addEventListener('click', () => {
      const opens = button.getAttribute('aria-expanded') !== 'true';
      button.setAttribute('aria-expanded', String(opens));
      for (const part of parts) part.hidden = !opens;
      if (opens) this.unfolded.add(fold.index);
      else this.unfolded.delete(fold.index);
    });
    return button;
  }
}
