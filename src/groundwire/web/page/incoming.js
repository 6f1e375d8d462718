/** What comes of an answer between two changes of the page: however much it is, the page changes once. */

/** @typedef {import('./markdown.js').Incoming} Piece */

const SLOW_MS = 12;
const LONGEST_PAUSE_MS = 2000;

export class Incoming {
  /** @type {Piece[]} */
  #pieces = [];
  #frame = 0;
  #pause = 0;
  // How long the last change took, with laying it out.
  #lastMs = 0;

  /** @param {(pieces: Piece[]) => void} show  changes the page */
  constructor(show) {
    this.show = show;
  }

  /** @param {Piece} piece */
  add(piece) {
    const last = this.#pieces.length - 1;
    if (typeof piece === 'string' && typeof this.#pieces[last] === 'string') this.#pieces[last] += piece;
    else this.#pieces.push(piece);
    if (this.#frame || this.#pause) return;
    if (this.#lastMs < SLOW_MS) this.#nextFrame();
    // What takes long is done less often: then most of the time is left for everything else.
    else this.#pause = setTimeout(() => this.#nextFrame(), Math.min(LONGEST_PAUSE_MS, this.#lastMs * 3));
  }

  /** Show what has come, now. */
  flush() {
    this.#cancel();
    const pieces = this.#pieces.splice(0);
    if (pieces.length) this.show(pieces);
  }

  /** Forget what has come. */
  clear() {
    this.#cancel();
    this.#pieces = [];
  }

  #nextFrame() {
    this.#pause = 0;
    this.#frame = requestAnimationFrame(() => {
      const start = performance.now();
      this.flush();
      // After the frame, so that the time of its layout counts.
      setTimeout(() => { this.#lastMs = performance.now() - start; });
    });
  }

  #cancel() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#pause);
    [this.#frame, this.#pause] = [0, 0];
  }
}
