/** The services that search and read: what each can do, its key, and whether it answers. */

import { ask } from '../api.js';
import { element, icon } from '../dom.js';
import { secretField } from './fields.js';
import { badge, busy, button, card, confirmed, message, resultLine } from './parts.js';
import { showTest } from './provider.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Service} Service */

/**
 * @param {Context} context
 * @param {Service[]} services
 * @param {(services: Service[]) => void} onChange
 */
export function servicesCard(context, services, onChange) {
  const list = element('ul', { class: 'services' }, ...services.map((service) => new ServiceRow(context, service, onChange).root));
  return card('Services', 'Keys go into the key store of the server and are never shown again.', list);
}

class ServiceRow {
  #result = resultLine();
  #badges = element('span', { class: 'badges' });
  #remove = button('Remove key', () => this.#removeKey());
  #save = element('button', { type: 'submit', class: 'button' }, 'Save key');

  /**
   * @param {Context} context
   * @param {Service} service
   * @param {(services: Service[]) => void} onChange
   */
  constructor(context, service, onChange) {
    this.service = service;
    this.onChange = onChange;
    const test = button('Test', (pressed) => this.#test(pressed));
    test.setAttribute('aria-label', `Test ${service.title}`);
    const head = element('div', { class: 'service-head' }, element('span', { class: 'item-words' }, element('strong', {}, service.title),
      element('span', { class: 'note' }, service.abilities.filter((each) => each !== 'answer').map((each) => ({ search: 'Searches', read: 'Reads pages' })[each] ?? each).join(' · '))), this.#badges, context.mayChange && test);
    this.root = element('li', { class: 'service' }, head, context.mayChange && service.key_variable && this.#keyForm(), this.#result);
    this.#draw();
  }

  #keyForm() {
    this.key = secretField(`Key of ${this.service.title}`, { required: true }, { hint: `The server’s environment variable ${this.service.key_variable} works as well.` });
    const form = element('form', { novalidate: true, onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); void this.#keepKey(); } },
      this.key.root, element('div', { class: 'row' }, this.#save, this.#remove));
    return element('details', {}, element('summary', {}, 'Key', element('span', { class: 'visually-hidden' }, ` of ${this.service.title}`)), form);
  }

  #draw() {
    const { service } = this;
    this.#remove.hidden = !service.has_key;
    if (service.has_key) this.#badges.replaceChildren(badge('good', icon('check'), 'Key'));
    else this.#badges.replaceChildren(service.needs_key ? badge('warning', icon('warning'), 'No key') : badge('plain', 'No key needed'));
  }

  async #keepKey() {
    const key = this.key?.value.trim();
    if (!key) return this.key?.refuse('Enter the key first.');
    try {
      await busy(this.#save, () => ask('PUT', `/web/${this.service.name}/key`, { key }));
      if (this.key) this.key.value = '';
      await this.#refresh();
      this.#result.say('good', 'The key is saved. It is not shown again.');
    } catch (error) {
      this.#result.say('error', `The key was not saved. ${message(error)}`);
    }
  }

  async #removeKey() {
    const { title, name } = this.service;
    if (!await confirmed({ title: 'Remove the key?', text: `${title} will not answer until a new key is entered.`, yes: 'Remove key' })) return;
    try {
      await busy(this.#remove, () => ask('DELETE', `/web/${name}/key`));
      await this.#refresh();
      this.#result.say(this.service.has_key ? 'warning' : 'good', this.service.has_key ? 'Another key is still in force: it comes from the server’s environment.' : 'The key is removed.');
    } catch (error) {
      this.#result.say('error', `The key was not removed. ${message(error)}`);
    }
  }

  async #refresh() {
    const { available } = await ask('GET', '/web');
    this.service = available.find((/** @type {Service} */ { name }) => name === this.service.name) ?? this.service;
    this.#draw();
    this.onChange(available);
  }

  /** @param {HTMLButtonElement} pressed */
  async #test(pressed) {
    this.#result.clear();
    try {
      const said = await busy(pressed, () => ask('POST', `/web/${this.service.name}/test`, {}));
      if (said) showTest(this.#result, said);
    } catch (error) {
      this.#result.say('error', message(error));
    }
  }
}
