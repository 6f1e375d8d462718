/** When each source was published and read, and by whom, taken from the tool runs: an answer does not have it. */

import { pagesOf } from './links.js';

/** @typedef {{published?: string, retrieved_at?: string, is_ours?: boolean}} PageDates  `is_ours` says that the server opened the page itself, and has its text */
/** @typedef {import('./types.js').Source & PageDates} DatedSource */

export class Dates {
  /** @type {Map<string, PageDates>} */
  #known = new Map();

  /**
   * Note what a search found out, or when a page was opened.
   * @param {import('./types.js').ToolRun} run
   */
  take(run) {
    for (const { url, published } of run.results ?? []) if (published) this.#note(url, { published });
    if (run.status === 'done') for (const url of pagesOf(run)) this.#note(url, { retrieved_at: run.started_at, is_ours: run.mode === 'client' });
  }

  /**
   * @param {string} url
   * @returns {PageDates}
   */
  of(url) {
    return this.#known.get(url) ?? {};
  }

  /**
   * @param {string} url
   * @param {PageDates} dates
   */
  #note(url, dates) {
    this.#known.set(url, { ...this.of(url), ...dates });
  }
}
