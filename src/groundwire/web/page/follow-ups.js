/** Questions to go on with, under the newest answer once all of it is there. */

import { ask } from './api.js';
import { element } from './dom.js';

export class FollowUps {
  #id = '';
  #isAsked = false;
  /** Asks one of them; null where another answer is the newest. @type {((text: string) => void) | null} */
  #onAsk = null;
  root = element('ul', { class: 'starters follow-ups', 'aria-label': 'Questions to go on with', hidden: true });

  /** @param {((text: string) => void) | null} onAsk */
  setNewest(onAsk) {
    this.#onAsk = onAsk;
    this.root.hidden = !onAsk || !this.root.hasChildNodes();
    void this.#load();
  }

  /**
   * Take that an answer is complete and compared.
   * @param {string} id
   */
  settle(id) {
    this.#id = id;
    void this.#load();
  }

  async #load() {
    if (!this.#id || !this.#onAsk || this.#isAsked) return;
    this.#isAsked = true;
    try {
      const { questions } = /** @type {import('./types.js').FollowUps} */ (await ask('GET', `/messages/${encodeURIComponent(this.#id)}/follow-ups`));
      this.root.replaceChildren(...questions.map((text) => element('li', {},
        element('button', { type: 'button', class: 'starter', dir: 'auto', onclick: () => this.#onAsk?.(text) }, text))));
      this.root.hidden = !this.#onAsk || !questions.length;
    } catch {
      // Nobody asked for them: an answer without is complete.
    }
  }
}
