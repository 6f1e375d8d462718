/** An ordered list of services that is changed by buttons, so that a keyboard can do it. */

import { announce, element, icon, iconButton } from '../dom.js';
import { badge, sign } from './parts.js';

/** @typedef {import('../types.js').Service} Service */

export class Chain {
  #list = element('ol', { class: 'chain' });
  #rest = element('select', { class: 'field' });
  #adding = element('div', { class: 'row is-tight' });
  onChange = () => {};

  /** @param {{label: string, services: Service[], names: string[], isDisabled: boolean}} what */
  constructor({ label, services, names, isDisabled }) {
    this.label = label;
    this.services = services;
    this.isDisabled = isDisabled;
    /** @type {string[]} */
    this.names = [...names];
    this.#rest.setAttribute('aria-label', `Add to ${label.toLowerCase()}`);
    this.#adding.append(this.#rest, element('button', { type: 'button', class: 'button is-plain', onclick: () => this.#change([...this.names, this.#rest.value], this.#rest.value, 'added') }, 'Add'));
    this.#list.setAttribute('aria-label', `${label} services in order`);
    this.root = element('div', { class: 'chain-box' }, this.#list, this.#adding);
    this.#draw();
  }

  /** @param {string[]} names */
  fill(names) {
    this.names = [...names];
    this.#draw();
  }

  /** @param {Service[]} services */
  refresh(services) {
    this.services = this.services.map((service) => services.find(({ name }) => name === service.name) ?? service);
    this.#draw();
  }

  #draw() {
    const rest = this.services.filter(({ name }) => !this.names.includes(name));
    this.#rest.replaceChildren(...rest.map(({ name, title }) => element('option', { value: name }, title)));
    this.#adding.hidden = this.isDisabled || !rest.length;
    this.#list.replaceChildren(...this.names.map((name, index) => this.#item(name, index)));
  }

  /** @param {string} name */
  #title(name) {
    return this.services.find((each) => each.name === name)?.title ?? name;
  }

  /**
   * @param {string} name
   * @param {number} index
   */
  #item(name, index) {
    const service = this.services.find((each) => each.name === name);
    const title = this.#title(name);
    const lacksKey = service?.needs_key && !service.has_key;
    const actions = [
      this.#action(`Move ${title} up`, sign('up'), index === 0, () => this.#move(index, index - 1)),
      this.#action(`Move ${title} down`, sign('down'), index === this.names.length - 1, () => this.#move(index, index + 1)),
      this.#action(`Remove ${title}`, icon('close'), this.names.length === 1, () => this.#change(this.names.filter((each) => each !== name), name, 'removed')),
    ];
    return element('li', { 'data-name': name }, element('span', { class: 'order', 'aria-hidden': 'true' }, String(index + 1)),
      element('span', { class: 'item-words' }, element('strong', {}, title)), lacksKey && badge('warning', icon('warning'), 'No key'),
      !service && badge('error', icon('warning'), 'Not installed'), ...(this.isDisabled ? [] : actions));
  }

  /**
   * @param {string} label
   * @param {Node} picture
   * @param {boolean} isDisabled
   * @param {() => void} act
   */
  #action(label, picture, isDisabled, act) {
    const made = iconButton(label, 'close', act, { disabled: isDisabled });
    made.replaceChildren(picture);
    return made;
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  #move(from, to) {
    const names = [...this.names];
    const [name] = names.splice(from, 1);
    names.splice(to, 0, name);
    this.#change(names, name, `is number ${to + 1} now`);
  }

  /**
   * Change the order, say so, and keep the focus with what was moved.
   * @param {string[]} names
   * @param {string} name
   * @param {string} what
   */
  #change(names, name, what) {
    const label = document.activeElement?.getAttribute('aria-label');
    this.names = names;
    this.#draw();
    this.onChange();
    announce(`${this.#title(name)} ${what}`);
    const buttons = /** @type {HTMLButtonElement[]} */ ([...this.root.querySelectorAll('button')]);
    const same = buttons.find((each) => label && each.getAttribute('aria-label') === label && !each.disabled);
    const near = buttons.find((each) => each.closest('li')?.dataset.name === name && !each.disabled);
    (same ?? near ?? buttons.find((each) => !each.disabled))?.focus();
  }
}
