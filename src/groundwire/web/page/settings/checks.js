/** How citations are compared with their pages, for the whole server; and who may be asked as a judge. */

import { ask } from '../api.js';
import { choiceField, textField } from './fields.js';
import { card } from './parts.js';

/** @typedef {import('../types.js').CheckSettings} CheckSettings */
/** @typedef {import('../types.js').Provider} Provider */

const PAGES = /** @type {[string, string][]} */ ([
  ['all', 'Every page that an answer cites'],
  ['opened', 'Only pages that were opened for the answer'],
  ['off', 'None'],
]);

/**
 * Return the providers as choices; one that is chosen and not among them stays there by its name.
 * @param {string} chosen
 * @param {[string, string][]} first
 */
export async function judges(chosen, first) {
  const providers = /** @type {Provider[]} */ (await ask('GET', '/providers'));
  const choices = [...first, ...providers.map(({ id, name }) => /** @type {[string, string]} */ ([id, name]))];
  if (!choices.some(([value]) => value === chosen)) choices.push([chosen, chosen]);
  return choices;
}

export class ChecksFields {
  /**
   * @param {CheckSettings} checks
   * @param {[string, string][]} choices  of judges
   * @param {boolean} disabled
   */
  constructor(checks, choices, disabled) {
    const number = (/** @type {string} */ label, /** @type {Record<string, any>} */ limits, /** @type {string} */ hint) =>
      textField(label, { type: 'number', required: true, disabled, ...limits }, { hint });
    this.pages = choiceField('Pages to compare', PAGES, '', { disabled }, { hint: 'What an answer says is compared with the pages that it cites, word by word and without a model. A workspace can choose otherwise.' });
    this.maxPages = number('Most pages to read', { min: 0, max: 1000, step: 1 }, 'For one answer, beside those that were opened for it.');
    this.seconds = number('Seconds to read them', { min: 1, max: 86400, step: 'any' }, 'After the end of the answer, which never waits.');
    this.judge = choiceField('Judge', choices, '', { disabled }, { hint: 'This provider’s model is asked about each claim as well. Its opinion is shown apart from the facts, with its name and its cost, and only if the words it names are on the page. Every claim costs a request.' });
    this.model = textField('Model of the judge', { disabled, placeholder: 'The provider’s default' });
    this.claims = number('Most claims to judge', { min: 0, max: 1000, step: 1 }, 'For one answer.');
    this.root = card('Citations', null, this.pages.root, this.maxPages.root, this.seconds.root, this.judge.root, this.model.root, this.claims.root);
    this.fill(checks);
    this.root.addEventListener('input', () => this.#draw());
  }

  /** @returns {CheckSettings} */
  get values() {
    return {
      pages: /** @type {CheckSettings['pages']} */ (this.pages.value),
      max_pages: Number(this.maxPages.value),
      seconds: Number(this.seconds.value),
      judge: this.judge.value,
      judge_model: this.model.value.trim(),
      judge_claims: Number(this.claims.value),
    };
  }

  /** The fields by the names that the server uses. */
  get fields() {
    return { 'checks.pages': this.pages, 'checks.max_pages': this.maxPages, 'checks.seconds': this.seconds, 'checks.judge': this.judge, 'checks.judge_model': this.model, 'checks.judge_claims': this.claims };
  }

  /** @param {CheckSettings} checks */
  fill(checks) {
    this.pages.value = checks.pages;
    this.maxPages.value = String(checks.max_pages);
    this.seconds.value = String(checks.seconds);
    this.judge.value = checks.judge;
    this.model.value = checks.judge_model;
    this.claims.value = String(checks.judge_claims);
    this.#draw();
  }

  /** Show only what counts under the choices above it. */
  #draw() {
    const [isOff, isJudged] = [this.pages.value === 'off', this.judge.value !== ''];
    for (const field of [this.maxPages, this.seconds]) field.root.hidden = this.pages.value !== 'all';
    this.judge.root.hidden = isOff;
    for (const field of [this.model, this.claims]) field.root.hidden = isOff || !isJudged;
  }
}
