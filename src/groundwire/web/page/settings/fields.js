/** Labelled controls that can say what is wrong with them. */

import { element } from '../dom.js';

let count = 0;

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */

/** @template {Control} T */
export class Field {
  /**
   * @param {string} label
   * @param {T} control
   * @param {{hint?: string | Node, beside?: Node}} [more]
   */
  constructor(label, control, { hint, beside } = {}) {
    this.control = control;
    control.id ||= `field-${++count}`;
    this.hint = hint ? element('p', { class: 'hint', id: `${control.id}-hint` }, hint) : null;
    this.fault = element('p', { class: 'fault', id: `${control.id}-fault`, hidden: true });
    this.root = element('div', { class: 'form-field' }, element('label', { for: control.id }, label),
      beside ? element('div', { class: 'row is-tight' }, control, beside) : control, this.hint, this.fault);
    this.#describe();
    control.addEventListener('input', () => this.clear());
  }

  get value() {
    return this.control.value;
  }

  set value(value) {
    this.control.value = value;
  }

  /** @param {string} reason */
  refuse(reason) {
    this.fault.textContent = reason.charAt(0).toUpperCase() + reason.slice(1);
    this.fault.hidden = false;
    this.control.setAttribute('aria-invalid', 'true');
    this.#describe();
  }

  clear() {
    if (this.fault.hidden) return;
    this.fault.hidden = true;
    this.control.removeAttribute('aria-invalid');
    this.#describe();
  }

  #describe() {
    const ids = [this.hint?.id, this.fault.hidden ? null : this.fault.id].filter(Boolean);
    if (ids.length) this.control.setAttribute('aria-describedby', ids.join(' '));
    else this.control.removeAttribute('aria-describedby');
  }
}

/**
 * @param {string} label
 * @param {Record<string, any>} [properties]
 * @param {{hint?: string | Node, beside?: Node}} [more]
 */
export function textField(label, properties = {}, more) {
  return new Field(label, element('input', { type: 'text', class: 'field', autocomplete: 'off', ...properties }), more);
}

/**
 * @param {string} label
 * @param {string} value
 * @param {Record<string, any>} [properties]
 * @param {{hint?: string | Node}} [more]
 */
export function areaField(label, value, properties = {}, more) {
  const area = element('textarea', { class: 'field', rows: 4, ...properties });
  area.value = value;
  return new Field(label, area, more);
}

/**
 * @param {string} label
 * @param {[value: string, title: string][]} choices
 * @param {string} value
 * @param {Record<string, any>} [properties]
 * @param {{hint?: string | Node}} [more]
 */
export function choiceField(label, choices, value, properties = {}, more) {
  const select = element('select', { class: 'field', ...properties }, ...choices.map(([name, title]) => element('option', { value: name }, title)));
  select.value = value;
  return new Field(label, select, more);
}

/**
 * A field for a secret: what is kept never comes back, so it is always empty at first.
 * @param {string} label
 * @param {Record<string, any>} [properties]
 * @param {{hint?: string | Node}} [more]
 */
export function secretField(label, properties = {}, more) {
  const input = element('input', { type: 'password', class: 'field is-code', autocomplete: 'off', spellcheck: 'false', 'data-1p-ignore': true, 'data-lpignore': 'true', ...properties });
  return new Field(label, input, more);
}

/**
 * A switch or checkbox with its explanation.
 * @param {{label: string, note: string, isOn: boolean, isSwitch?: boolean, isDisabled?: boolean, sign?: Node}} what
 */
export function toggle({ label, note, isOn, isSwitch = false, isDisabled = false, sign }) {
  const id = `field-${++count}`;
  const control = element('input', { type: 'checkbox', id, class: isSwitch ? 'switch' : 'check', role: isSwitch ? 'switch' : null, 'aria-describedby': `${id}-note`, disabled: isDisabled });
  control.checked = isOn;
  const root = element('div', { class: 'toggle' }, sign, element('div', { class: 'toggle-words' },
    element('label', { for: id }, label), element('p', { class: 'hint', id: `${id}-note` }, note)), control);
  return { root, control };
}
