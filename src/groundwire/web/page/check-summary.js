/** The line under an answer that sums up what was compared; it folds open to every claim. */

import { ApiError } from './api.js';
import { capital } from './check-facts.js';
import { element, icon, plural, toast } from './dom.js';

/** @typedef {import('./checks.js').AnswerChecks} AnswerChecks */
/** @typedef {import('./types.js').CitationCheck} CitationCheck */

export class CheckSummary {
  // The only place that a screen reader is told of, and only of what stays.
  #line = element('span', { class: 'checks-line', 'aria-live': 'polite' });
  #progress = element('span', { class: 'checks-progress', hidden: true });
  #list = element('ol', { class: 'claims' });
  #again = element('button', { type: 'button', class: 'quiet-button', onclick: () => this.#checkAgain() }, icon('retry'), 'Check again');
  root = element('section', { class: 'checks', 'aria-label': 'Citations compared with their pages', hidden: true },
    element('details', {}, element('summary', {}, this.#line, this.#progress), this.#list), this.#again);
  #messageId = '';
  #isAsking = false;

  /**
   * @param {AnswerChecks} checks
   * @param {(check: CitationCheck) => void} onPick  a claim was chosen
   */
  constructor(checks, onPick) {
    this.checks = checks;
    this.onPick = onPick;
  }

  /** While the answer arrives. */
  hide() {
    this.root.hidden = true;
  }

  /**
   * Show what is known now.
   * @param {string} messageId  "" of an answer that is not kept
   */
  show(messageId) {
    const { told, all } = this.checks;
    const isPending = told.pending > 0 || this.#isAsking;
    this.#messageId = messageId;
    this.root.hidden = !messageId || (!all.length && !isPending);
    this.#progress.hidden = !isPending;
    this.#progress.replaceChildren(...(isPending ? [element('span', { class: 'spinner' }), progress(all.length, told.pending)] : []));
    const line = isPending ? '' : told.summary;
    if (this.#line.textContent !== line) this.#line.textContent = line;
    this.#again.setAttribute('aria-disabled', String(isPending));
    this.#list.replaceChildren(...all.map((check) => this.#claim(check)));
  }

  async #checkAgain() {
    // It stays a button that has the focus: a disabled one would lose it.
    if (this.#again.ariaDisabled === 'true') return;
    this.#isAsking = true;
    this.show(this.#messageId);
    try {
      await this.checks.again(this.#messageId);
    } catch (error) {
      toast(error instanceof ApiError ? error.message : `The page failed: ${String(error)}. Reload it, then try again.`);
    } finally {
      this.#isAsking = false;
      this.show(this.#messageId);
    }
  }

  /** @param {CitationCheck} check */
  #claim(check) {
    return element('li', { class: 'claim' },
      element('span', { class: 'evidence', 'data-check': check.state, 'aria-hidden': 'true' }, String(check.number)),
      element('div', {},
        element('button', { type: 'button', class: 'claim-words', dir: 'auto', onclick: () => this.onPick(check) }, check.claim || `Source ${check.number}`),
        element('p', { class: 'claim-facts' }, factsOf(check))));
  }
}

/**
 * Return what is known of a claim in the server's words.
 * @param {CitationCheck} check
 */
function factsOf(check) {
  return check.facts.join(' ') || capital(check.label);
}

/**
 * @param {number} done
 * @param {number} pending
 */
function progress(done, pending) {
  const all = done + pending;
  return all ? `${done} of ${plural(all, 'citation')} compared with ${all === 1 ? 'its page' : 'their pages'}…` : 'Comparing…';
}
