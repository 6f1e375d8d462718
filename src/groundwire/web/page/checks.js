/** What the citations of one answer came to. The words for it are the server's, all but two. */

import { ApiError, ask } from './api.js';

/** @typedef {import('./types.js').Checks} Checks */
/** @typedef {import('./types.js').CitationCheck} CitationCheck */
/** What a marker says of one source. @typedef {{state: CitationCheck['state'] | 'pending', label: string, check: CitationCheck | null, view: string, messageId: string}} Standing  `view` is where the source is shown as it was read; both are '' while nothing is kept */

const PENDING = /** @type {const} */ ({ state: 'pending', label: 'not yet compared', check: null });
const NOT_COMPARED = /** @type {const} */ ({ state: 'not_compared', label: 'not compared', check: null });
/** @type {Checks} */
export const NO_CHECKS = { state: '', pending: 0, checks: [], summary: '' };

const SHORTEST_MS = 1000;
const LONGEST_MS = 10_000;
const SLOWER = 1.5;

export class AnswerChecks {
  /** @type {Map<string, CitationCheck>} */
  #checks = new Map();
  #isArriving = false;
  #messageId = '';
  #late;
  /** @type {Checks} */
  told = NO_CHECKS;

  /** Those that came since the last frame. @type {Set<number>} */
  #places = new Set();

  /** @param {(places: Set<number> | null) => void} onChange  of which markers more is known, null of all */
  constructor(onChange) {
    this.onChange = onChange;
    this.#late = new LateChecks((told) => this.#replace(told));
  }

  /** Forget all: the answer begins, and its markers are still to be compared. */
  begin() {
    this.leave();
    this.#isArriving = true;
    this.#messageId = '';
    this.#replace(NO_CHECKS);
  }

  /** @param {CitationCheck} check */
  add(check) {
    this.#checks.set(key(check.position, check.number), check);
    // However many come between two frames, the page is changed once.
    if (!this.#places.size) requestAnimationFrame(() => this.#tell());
    this.#places.add(check.position);
  }

  /**
   * Take what the server keeps; what is open there is asked for until it has come.
   * @param {string} messageId
   * @param {Checks} told
   */
  keep(messageId, told) {
    this.#isArriving = false;
    this.#messageId = messageId;
    this.#replace(told);
    if (told.pending) this.#late.follow(messageId);
    else this.leave();
  }

  /**
   * Compare once more, with the pages as they are now.
   * @param {string} messageId
   */
  async again(messageId) {
    this.keep(messageId, await ask('POST', `/messages/${messageId}/checks`, {}));
  }

  /** Ask for nothing more. */
  leave() {
    this.#late.leave();
  }

  /** The answer's checks, in its order. */
  get all() {
    return [...this.#checks.values()].sort((one, other) => one.position - other.position);
  }

  /**
   * Return what is known of one source of a marker.
   * @param {number | undefined} place  the marker's, in the text without markers
   * @param {number} number
   * @returns {Standing}
   */
  of(place, number) {
    const check = this.#checks.get(key(place ?? -1, number));
    const kept = { view: sourceView(this.#messageId, number, place), messageId: this.#messageId };
    if (check) return { state: check.state, label: check.label, check, ...kept };
    return { ...(this.#isArriving || this.told.pending ? PENDING : NOT_COMPARED), ...kept };
  }

  /** @param {Checks} told */
  #replace(told) {
    this.told = told;
    this.#checks = new Map(told.checks.map((check) => [key(check.position, check.number), check]));
    this.#places.clear();
    this.onChange(null);
  }

  #tell() {
    const places = new Set(this.#places);
    this.#places.clear();
    if (places.size) this.onChange(places);
  }
}

/** Asks for checks that come after the end of the answer: each second, less often while none come. */
class LateChecks {
  #timer = 0;
  #delay = SHORTEST_MS;
  #pending = Infinity;
  #messageId = '';
  #stopping = new AbortController();
  #onVisible = () => {
    clearTimeout(this.#timer);
    this.#delay = SHORTEST_MS;
    if (!document.hidden) void this.#ask();
  };

  /** @param {(told: Checks) => void} take */
  constructor(take) {
    this.take = take;
  }

  /** @param {string} messageId */
  follow(messageId) {
    this.leave();
    this.#messageId = messageId;
    this.#stopping = new AbortController();
    [this.#delay, this.#pending] = [SHORTEST_MS, Infinity];
    document.addEventListener('visibilitychange', this.#onVisible, { signal: this.#stopping.signal });
    this.#wait();
  }

  leave() {
    clearTimeout(this.#timer);
    this.#stopping.abort();
  }

  #wait() {
    // Nobody looks at a page that is hidden: it asks again when it is shown.
    if (!document.hidden) this.#timer = setTimeout(() => this.#ask(), this.#delay);
  }

  async #ask() {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    try {
      const told = /** @type {Checks} */ (await ask('GET', `/messages/${this.#messageId}/checks`, undefined, { signal }));
      if (signal.aborted) return;
      this.#delay = told.pending < this.#pending ? SHORTEST_MS : this.#slower();
      this.#pending = told.pending;
      this.take(told);
      if (!told.pending) return this.leave();
    } catch (error) {
      if (signal.aborted) return;
      // What is gone, or no longer ours to see, does not come back.
      if (error instanceof ApiError && [401, 403, 404].includes(error.status)) return this.leave();
      this.#delay = this.#slower();
    }
    clearTimeout(this.#timer);
    this.#wait();
  }

  #slower() {
    return Math.min(LONGEST_MS, this.#delay * SLOWER);
  }
}

/**
 * @param {number} place
 * @param {number} number
 */
function key(place, number) {
  return `${place} ${number}`;
}

/**
 * Return where a source of a kept answer is shown as it was read; '' of one that is not kept yet.
 * @param {string} messageId
 * @param {number} number
 * @param {number} [place]  of the marker that somebody comes from
 */
export function sourceView(messageId, number, place) {
  if (!messageId) return '';
  return `/sources/${messageId}/${number}${place === undefined ? '' : `?position=${place}`}#passage`;
}
