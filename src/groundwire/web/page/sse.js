/** A parser of server-sent events (WHATWG): bytes in, events out. */

/** @typedef {{type: string, data: string, id: string}} ServerEvent */

export class EventParser {
  #decoder = new TextDecoder();
  #rest = '';
  #endedInReturn = false;
  #type = '';
  /** @type {string[]} */
  #data = [];
  #id = '';

  /**
   * Take the next bytes and return the events that are complete now. What is left when the
   * stream ends was cut, and is nobody's event.
   * @param {Uint8Array} bytes
   * @returns {ServerEvent[]}
   */
  push(bytes) {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (!text) return [];
    // A line feed that follows a return in the piece before belongs to the same line end.
    if (this.#endedInReturn && text[0] === '\n') text = text.slice(1);
    this.#endedInReturn = text.endsWith('\r');
    if (!/[\r\n]/.test(text)) {
      this.#rest += text;
      return [];
    }
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = /** @type {string} */ (lines.pop());
    /** @type {ServerEvent[]} */
    const events = [];
    for (const line of lines) this.#read(line, events);
    return events;
  }

  /**
   * @param {string} line
   * @param {ServerEvent[]} events
   */
  #read(line, events) {
    if (line === '') {
      if (this.#data.length) {
        const type = this.#type || 'message';
        events.push({ type, data: this.#data.join('\n'), id: this.#id });
      }
      this.#type = '';
      this.#data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#type = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
  }
}
