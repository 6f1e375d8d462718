/** Thumbs and a note that stay with an answer. */

import { ask } from './api.js';
import { announce, element, iconButton, toast } from './dom.js';

/** @typedef {import('./types.js').Feedback} Feedback */

const MOST = 2000;
export const NO_FEEDBACK = /** @type {Feedback} */ ({ rating: '', note: '' });

export class FeedbackView {
  #up = iconButton('Good answer', 'up', () => { void this.#rate('up'); });
  #down = iconButton('Bad answer', 'thumb-down', () => { void this.#rate('down'); });
  #note = element('div', { class: 'feedback-note', hidden: true });
  #id = '';
  #kept = NO_FEEDBACK;
  /** What goes among the actions, and what goes below them. */
  buttons = [this.#up, this.#down];
  root = this.#note;

  /**
   * Show what was said of an answer.
   * @param {string} id
   * @param {Feedback} feedback
   */
  show(id, feedback) {
    this.#id = id;
    this.#kept = feedback;
    this.#tell();
    this.#showNote();
  }

  get kept() {
    return this.#kept;
  }

  /** @param {Feedback['rating']} rating  again takes it back */
  async #rate(rating) {
    const isBack = this.#kept.rating === rating;
    if (!await this.#save({ rating: isBack ? '' : rating, note: this.#kept.note })) return;
    announce(isBack ? 'Rating taken back' : 'Rating kept');
    if (!isBack && !this.#kept.note) this.#edit();
    else if (isBack && !this.#kept.note) this.#note.hidden = true;
  }

  /** @param {Feedback} feedback */
  async #save(feedback) {
    try {
      this.#kept = await ask('PUT', `/messages/${encodeURIComponent(this.#id)}/feedback`, feedback);
    } catch (error) {
      toast(`It was not kept: ${error instanceof Error ? error.message : error}`);
      return false;
    }
    this.#tell();
    return true;
  }

  #tell() {
    this.#up.setAttribute('aria-pressed', String(this.#kept.rating === 'up'));
    this.#down.setAttribute('aria-pressed', String(this.#kept.rating === 'down'));
  }

  #showNote() {
    const { note } = this.#kept;
    this.#note.hidden = !note;
    if (!note) return this.#note.replaceChildren();
    this.#note.replaceChildren(element('p', { dir: 'auto' }, element('span', { class: 'feedback-name' }, 'Your note: '), note),
      iconButton('Edit your note', 'edit', () => this.#edit()));
  }

  #edit() {
    const field = element('textarea', { class: 'field', dir: 'auto', rows: 2, maxlength: MOST, 'aria-label': 'Note on this answer', placeholder: 'What was good or missing? (optional)' });
    field.value = this.#kept.note;
    const save = async () => {
      if (!await this.#save({ ...this.#kept, note: field.value.trim() })) return;
      announce('Note kept');
      this.#showNote();
    };
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#showNote();
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
    });
    this.#note.hidden = false;
    this.#note.replaceChildren(element('div', { class: 'editor' }, field, element('div', { class: 'editor-buttons' },
      element('button', { type: 'button', class: 'button is-plain', onclick: () => this.#showNote() }, 'No note'),
      element('button', { type: 'button', class: 'button', onclick: () => { void save(); } }, 'Save note'))));
    field.focus();
  }
}
