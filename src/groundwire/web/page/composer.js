/** Where a question is written. Enter sends, Shift+Enter starts a new line. */

import { Attachments } from './attachments.js';
import { find, toast } from './dom.js';
import { Pickers } from './pickers.js';

/**
 * @typedef {object} Draft
 * @property {string} text
 * @property {import('./attachments.js').Attachment[]} attachments
 * @property {string} agentId
 * @property {string | null} provider_id
 * @property {string | null} model
 * @property {import('./types.js').NewMessage['search']} search
 * @property {import('./types.js').NewMessage['thinking']} thinking  null for the agent's
 */

export class Composer {
  #form = /** @type {HTMLFormElement} */ (find('#composer'));
  #field = /** @type {HTMLTextAreaElement} */ (find('#question'));
  #send = /** @type {HTMLButtonElement} */ (find('#send'));
  #stop = find('#stop');
  #attachments = new Attachments(find('#attachments'), () => this.#update());
  #isBusy = false;
  pickers = new Pickers();

  /** @param {{onSend: (draft: Draft) => void, onStop: () => void, onTyping: () => void}} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    this.#field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      void this.#submit();
    });
    this.#field.addEventListener('input', () => this.#update());
    this.#field.addEventListener('input', () => hooks.onTyping(), { once: true });
    this.#stop.addEventListener('click', () => hooks.onStop());
    this.#attachFiles();
    this.#update();
  }

  focus() {
    // A phone's keyboard would cover the page that was asked for.
    if (matchMedia('(hover: hover)').matches) this.#field.focus();
  }

  /** @param {boolean} isBusy */
  setBusy(isBusy) {
    const hadFocus = document.activeElement === this.#stop;
    this.#isBusy = isBusy;
    this.#stop.hidden = !isBusy;
    this.#send.hidden = isBusy;
    if (hadFocus && !isBusy) this.#field.focus();
    this.#update();
  }

  #attachFiles() {
    const input = /** @type {HTMLInputElement} */ (find('#files'));
    find('#attach').addEventListener('click', () => input.click());
    input.addEventListener('change', () => {
      this.#attachments.add(input.files ?? []);
      input.value = '';
    });
    this.#field.addEventListener('paste', (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (!files.length) return;
      event.preventDefault();
      this.#attachments.add(files);
    });
    const target = find('#chat');
    const carriesFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files');
    target.addEventListener('dragover', (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      target.classList.add('is-drop');
    });
    target.addEventListener('dragleave', (event) => {
      if (!(event.relatedTarget instanceof Node && target.contains(event.relatedTarget))) target.classList.remove('is-drop');
    });
    target.addEventListener('drop', (event) => {
      target.classList.remove('is-drop');
      if (!carriesFiles(event)) return;
      event.preventDefault();
      this.#attachments.add(event.dataTransfer?.files ?? []);
    });
  }

  #update() {
    this.#send.disabled = this.#isBusy || !(this.#field.value.trim() || this.#attachments.count);
    // Browsers without `field-sizing` need to be told.
    if (!CSS.supports('field-sizing: content')) {
      this.#field.style.height = 'auto';
      this.#field.style.height = `${this.#field.scrollHeight}px`;
    }
  }

  /**
   * Ask a question that the page offered.
   * @param {string} text
   * @param {string} [agent]  the name of who answers it best
   */
  ask(text, agent = '') {
    if (this.#isBusy) return;
    if (agent) this.pickers.choose(agent);
    this.hooks.onSend({ text, attachments: [], ...this.pickers.choices });
  }

  async #submit() {
    const text = this.#field.value.trim();
    if (this.#isBusy || !(text || this.#attachments.count)) return;
    const { choices } = this.pickers;
    if (!choices.agentId) return toast('There is no agent to ask yet: add one under Settings, Agents.');
    this.#field.value = '';
    const attachments = await this.#attachments.take();
    this.hooks.onSend({ text, attachments, ...choices });
    this.#update();
  }
}
