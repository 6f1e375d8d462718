/** Files for the library: chosen or dropped, sent one after the other. */

import { ask } from '../api.js';
import { announce, element, plural } from '../dom.js';
import { size } from './library-words.js';
import { card, message, notice } from './parts.js';

/** @typedef {import('../types.js').Library} Library */

/**
 * @param {string} place
 * @param {Library} library
 * @param {() => Promise<void>} renew
 */
export function uploadCard(place, library, renew) {
  const input = element('input', { type: 'file', multiple: true, id: 'library-files', accept: library.formats.join(',') });
  const drop = element('div', { class: 'drop' }, input,
    element('label', { class: 'button', for: 'library-files' }, 'Choose files'),
    element('p', { class: 'note' }, 'or drop them here'),
    element('p', { class: 'hint' }, `At most ${size(library.max_file_bytes)} each: ${library.formats.map((each) => each.slice(1)).join(', ')}`));
  const state = element('div', { role: 'status' });
  const sender = new Sender(place, library, state, renew);
  input.addEventListener('change', () => {
    void sender.send([...input.files ?? []]);
    input.value = '';
  });
  drop.addEventListener('dragover', (event) => { event.preventDefault(); drop.dataset.over = ''; });
  drop.addEventListener('dragleave', () => { delete drop.dataset.over; });
  drop.addEventListener('drop', (event) => {
    event.preventDefault();
    delete drop.dataset.over;
    void sender.send([...event.dataTransfer?.files ?? []]);
  });
  return card('Add files', null, drop, state);
}

class Sender {
  /** @type {File[]} */
  #waiting = [];
  /** @type {[name: string, reason: string][]} */
  #failed = [];
  #sent = 0;
  #isSending = false;

  /**
   * @param {string} place
   * @param {Library} library
   * @param {HTMLElement} state
   * @param {() => Promise<void>} renew
   */
  constructor(place, library, state, renew) {
    this.place = place;
    this.limit = library.max_file_bytes;
    this.formats = library.formats;
    this.state = state;
    this.renew = renew;
  }

  /** @param {File[]} files */
  async send(files) {
    this.#waiting.push(...files);
    if (this.#isSending) return;
    this.#isSending = true;
    this.#failed = [];
    this.#sent = 0;
    while (this.#waiting.length) {
      const file = /** @type {File} */ (this.#waiting.shift());
      this.state.replaceChildren(element('p', { class: 'waiting' }, element('span', { class: 'spinner' }), `Sending ${file.name}, ${this.#waiting.length} more…`));
      await this.#one(file);
    }
    this.#isSending = false;
    this.#tell();
    await this.renew();
  }

  /** @param {File} file */
  async #one(file) {
    const problem = this.#problem(file);
    if (problem) return void this.#failed.push([file.name, problem]);
    try {
      await ask('PUT', `${this.place}/files/${encodeURIComponent(file.name)}`, file);
      this.#sent += 1;
    } catch (error) {
      this.#failed.push([file.name, message(error)]);
    }
  }

  /** Why a file would be refused: said before it is sent, since it may be large. @param {File} file */
  #problem({ name, size: bytes }) {
    if (bytes > this.limit) return `It is over the limit of ${size(this.limit)}.`;
    return this.formats.some((ending) => name.toLowerCase().endsWith(ending)) ? '' : 'It is of a kind that is not read.';
  }

  #tell() {
    const told = [];
    if (this.#sent) told.push(notice('good', `${plural(this.#sent, 'file')} sent. They are read in the background: see Sources.`));
    if (this.#failed.length) {
      const lines = this.#failed.map(([name, reason]) => element('li', {}, element('strong', {}, name), `: ${reason}`));
      told.push(notice('error', `${plural(this.#failed.length, 'file')} not added.`), element('ul', { class: 'uploads-failed' }, ...lines));
    }
    this.state.replaceChildren(...told);
    announce(`${plural(this.#sent, 'file')} sent, ${this.#failed.length} not added`);
  }
}
