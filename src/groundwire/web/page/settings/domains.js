/** A list of domains, one a line, with every bad line marked and its reason beside its number. */

import { element } from '../dom.js';

/** @typedef {{value: string, reason: string}} Problem */

export class DomainList {
  #numbers = element('ol', { class: 'line-numbers', 'aria-hidden': 'true' });
  #problems = element('ul', { class: 'line-problems', id: 'domain-problems', 'aria-label': 'Lines that cannot be used' });
  /** By trimmed line. @type {Map<string, string>} */
  #reasons = new Map();

  /**
   * @param {string[]} domains
   * @param {boolean} isDisabled
   */
  constructor(domains, isDisabled) {
    this.area = element('textarea', { class: 'lines', id: 'domains', rows: 8, spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', wrap: 'off', placeholder: 'help.sap.com\n*.wikipedia.org', 'aria-describedby': 'domains-hint domain-problems', disabled: isDisabled });
    this.root = element('div', { class: 'form-field' }, element('label', { for: 'domains' }, 'Allowed Domains'),
      element('div', { class: 'lined' }, this.#numbers, this.area), this.#problems, hint());
    this.area.addEventListener('input', () => this.#draw());
    this.area.addEventListener('scroll', () => { this.#numbers.scrollTop = this.area.scrollTop; });
    this.fill(domains);
  }

  /** The lines that say something. */
  get domains() {
    return this.area.value.split('\n').map((line) => line.trim()).filter(Boolean);
  }

  /** @param {string[]} domains */
  fill(domains) {
    this.area.value = domains.join('\n');
    this.refuse([]);
  }

  /** @param {Problem[]} problems */
  refuse(problems) {
    this.#reasons = new Map(problems.map(({ value, reason }) => [value.trim(), reason]));
    this.#draw();
    this.#bad[0]?.button.focus();
  }

  /** @type {{index: number, button: HTMLButtonElement}[]} */
  #bad = [];

  #draw() {
    const lines = this.area.value.split('\n');
    const reasons = lines.map((line) => this.#reasons.get(line.trim()) ?? '');
    this.#numbers.replaceChildren(...lines.map((_, index) => element('li', { class: reasons[index] ? 'is-bad' : null }, String(index + 1))));
    this.#numbers.scrollTop = this.area.scrollTop;
    this.#bad = reasons.flatMap((reason, index) => (reason ? [{ index, button: this.#pointer(index, reason) }] : []));
    this.#problems.replaceChildren(...this.#bad.map(({ button }) => element('li', {}, button)));
    this.#problems.hidden = !this.#bad.length;
    if (this.#bad.length) this.area.setAttribute('aria-invalid', 'true');
    else this.area.removeAttribute('aria-invalid');
  }

  /**
   * @param {number} index
   * @param {string} reason
   */
  #pointer(index, reason) {
    return element('button', { type: 'button', onclick: () => this.#select(index) }, element('strong', {}, `Line ${index + 1}`), element('span', {}, reason));
  }

  /** @param {number} index */
  #select(index) {
    const lines = this.area.value.split('\n');
    const start = lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0);
    this.area.focus();
    this.area.setSelectionRange(start, start + lines[index].length);
  }
}

function hint() {
  const rows = [['example.com', 'this domain and all below it'], ['*.example.com', 'only what is below it'], ['*', 'every public website']];
  return element('div', { class: 'hint', id: 'domains-hint' }, element('p', {}, 'One a line, without https://. With no line at all, agents cannot use the web.'),
    element('dl', { class: 'legend' }, ...rows.map(([entry, meaning]) => element('div', {}, element('dt', {}, element('code', {}, entry)), element('dd', {}, meaning)))));
}
