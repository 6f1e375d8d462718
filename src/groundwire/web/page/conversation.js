/** The tree of a conversation: an edit or a retry is a branch, and one branch is shown. */

/** What was opened comes with its checks and what was said of it. @typedef {import('./types.js').Message & {checks?: import('./types.js').Checks, feedback?: import('./types.js').Feedback}} Message */

export class Conversation {
  /** @type {Map<string, Message>} */
  #messages = new Map();

  /**
   * @param {Message[]} messages
   * @param {string | null} leafId
   */
  constructor(messages = [], leafId = null) {
    for (const message of messages) this.#messages.set(message.id, message);
    this.leafId = leafId ?? messages.at(-1)?.id ?? null;
  }

  /**
   * Add a message or a newer state of one, and show its branch.
   * @param {Message} message
   */
  add(message) {
    this.#messages.set(message.id, message);
    this.leafId = this.#leafBelow(message.id);
  }

  /** @param {string} id */
  get(id) {
    return this.#messages.get(id);
  }

  /** Return the messages from the first one to the leaf. */
  path() {
    /** @type {Message[]} */
    const path = [];
    const seen = new Set();
    let message = this.#messages.get(this.leafId ?? '');
    while (message && !seen.has(message.id)) {
      seen.add(message.id);
      path.unshift(message);
      message = this.#messages.get(message.parent_id ?? '');
    }
    return path;
  }

  /**
   * Return the versions of a message, oldest first.
   * @param {Message} message
   */
  versions(message) {
    return [...this.#messages.values()].filter((each) => each.parent_id === message.parent_id && each.kind === message.kind);
  }

  /**
   * Show the newest branch through a message.
   * @param {string} id
   */
  select(id) {
    this.leafId = this.#leafBelow(id);
  }

  /** @param {string} id */
  #leafBelow(id) {
    let leaf = id;
    for (;;) {
      const next = [...this.#messages.values()].findLast((each) => each.parent_id === leaf);
      if (!next || next.id === id) return leaf;
      leaf = next.id;
    }
  }
}
