/** What was typed and not saved: a form that knows, and a page that does not let it be lost. */

import { ApiError } from '../api.js';
import { element } from '../dom.js';
import { busy, confirmed, message, resultLine } from './parts.js';

/** @typedef {import('./fields.js').Field<any>} Field */

/** @type {Editor<any> | null} */
let current = null;

/**
 * A form whose values are compared with what the server keeps.
 * @template T
 */
export class Editor {
  #bar = element('div', { class: 'save-bar', hidden: true });
  #result = resultLine();
  #save = element('button', { type: 'submit', class: 'button' }, 'Save');
  /** @type {string} */
  #kept;

  /**
   * @param {object} how
   * @param {() => T} how.read  the values as they stand in the form
   * @param {(values: T) => Promise<void>} how.save  resolves when the server has them
   * @param {() => void} how.discard  puts the kept values back
   * @param {Record<string, Field>} [how.fields]  by the names that the server uses
   * @param {boolean} [how.isNew]  nothing is kept yet: it can be saved as it is
   * @param {(error: ApiError) => boolean} [how.refused]  true if it has shown the fault itself
   * @param {...Node} parts
   */
  constructor(how, ...parts) {
    this.how = how;
    this.root = element('form', { class: 'editor', novalidate: true }, ...parts, this.#result, this.#bar);
    this.#bar.append(element('p', { role: 'status' }, how.isNew ? 'Not saved yet' : 'Unsaved changes'),
      element('button', { type: 'button', class: 'button is-plain', onclick: () => this.discard() }, 'Discard'), this.#save);
    this.#kept = JSON.stringify(how.read());
    for (const type of ['input', 'change']) this.root.addEventListener(type, () => this.check());
    this.root.addEventListener('submit', (event) => { event.preventDefault(); void this.save(); });
    current = this;
    if (how.isNew) this.#bar.hidden = false;
  }

  get isDirty() {
    return JSON.stringify(this.how.read()) !== this.#kept;
  }

  /** Look whether something differs from what is kept, and show the bar if so. */
  check() {
    const isShown = this.isDirty || this.how.isNew === true;
    if (isShown && this.#bar.hidden) this.#result.clear();
    this.#bar.hidden = !isShown;
  }

  async save() {
    for (const field of this.#fields) field.clear();
    this.#result.clear();
    const values = this.how.read();
    try {
      await busy(this.#save, () => this.how.save(values));
    } catch (error) {
      this.#refuse(error);
      return;
    }
    this.#kept = JSON.stringify(values);
    if (this.how.isNew) return;
    this.check();
    this.#result.say('good', 'Saved.');
  }

  discard() {
    for (const field of this.#fields) field.clear();
    this.how.discard();
    this.check();
    this.#result.say('info', 'Changes discarded.');
  }

  get #fields() {
    return Object.values(this.how.fields ?? {});
  }

  /** @param {unknown} error */
  #refuse(error) {
    if (error instanceof ApiError) {
      if (this.how.refused?.(error)) return this.#result.say('error', 'Not saved: see what is marked above.');
      for (const { field, reason } of error.fields) this.how.fields?.[field]?.refuse(reason);
    }
    this.#result.say('error', `Not saved. ${message(error)}`);
    const wrong = this.root.querySelector('[aria-invalid="true"]');
    if (wrong instanceof HTMLElement) wrong.focus();
  }
}

/** Leave the shown editor as it is: another section comes. */
export function forgetEditor() {
  current = null;
}

export function isUnsaved() {
  return current?.isDirty === true;
}

/** Ask, if something would be lost. */
export async function mayLeave() {
  if (!current?.isDirty) return true;
  const isLeaving = await confirmed({ title: 'Leave without saving?', text: 'What you changed here is not saved yet and would be lost.', yes: 'Leave', no: 'Stay' });
  if (isLeaving) current = null;
  return isLeaving;
}

addEventListener('beforeunload', (event) => {
  if (current?.isDirty) event.preventDefault();
});

document.addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's' || !current) return;
  event.preventDefault();
  if (current.isDirty || current.how.isNew) current.root.requestSubmit();
});
