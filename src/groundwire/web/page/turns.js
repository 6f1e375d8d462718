/** The events of one turn, each exactly once, over as many connections as it takes. */

import { ApiError, send } from './api.js';
import { EventParser } from './sse.js';

/** @typedef {import('./types.js').TurnEvent} TurnEvent */

const DELAYS_SECONDS = [0.3, 1, 2, 4, 8, 8, 8];
// The server says something every few seconds; silence for longer is a dead connection.
const SILENCE_SECONDS = 75;

/**
 * @typedef {object} Opening
 * @property {string} path  where the turn begins, or goes on
 * @property {any} [body]  sent again as it is if the connection breaks before the first event
 * @property {string | null} messageId
 */

export class TurnStream {
  #last = 0;
  #stopping = new AbortController();

  /** @param {Opening} opening */
  constructor(opening) {
    this.opening = opening;
    this.messageId = opening.messageId;
  }

  /** Stop reading; the turn itself goes on. */
  leave() {
    this.#stopping.abort();
  }

  /**
   * Give all events of the turn. Return true when its last one came, false if the server has
   * nothing to replay: then what it keeps is the answer.
   * @param {(event: TurnEvent) => void} take
   * @param {(isConnected: boolean) => void} onConnection
   * @returns {Promise<boolean>}
   */
  async read(take, onConnection) {
    for (let attempt = 0; ; ) {
      const seen = this.#last;
      try {
        const response = await this.#connect();
        if (response.status === 204 || !response.body) return false;
        if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) throw strange();
        onConnection(true);
        if (await this.#drain(response.body, take)) return true;
      } catch (error) {
        if (this.#stopping.signal.aborted) return true;
        if (!isWorthRetrying(error)) throw error;
      }
      attempt = this.#last > seen ? 0 : attempt;
      if (attempt >= DELAYS_SECONDS.length) throw lost();
      onConnection(false);
      await this.#pause(DELAYS_SECONDS[attempt++]);
      if (this.#stopping.signal.aborted) return true;
    }
  }

  /** @returns {Promise<Response>} */
  #connect() {
    const { signal } = this.#stopping;
    const isStarting = this.opening.body !== undefined && this.#last === 0;
    if (isStarting || this.messageId === null) return send('POST', this.opening.path, this.opening.body, { signal });
    const headers = { 'Last-Event-ID': String(this.#last) };
    return send('GET', `/messages/${this.messageId}/events?after=${this.#last}`, undefined, { signal, headers });
  }

  /**
   * @param {ReadableStream<Uint8Array>} body
   * @param {(event: TurnEvent) => void} take
   */
  async #drain(body, take) {
    const parser = new EventParser();
    const reader = body.getReader();
    try {
      for (;;) {
        const { done, value } = await within(SILENCE_SECONDS, reader.read());
        if (done) return false;
        for (const event of parser.push(value)) {
          if (this.#take(event, take)) return true;
        }
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  /**
   * @param {import('./sse.js').ServerEvent} event
   * @param {(event: TurnEvent) => void} take
   */
  #take(event, take) {
    const id = Number(event.id);
    if (id && id <= this.#last) return false;
    this.#last = id || this.#last;
    let data;
    try {
      data = JSON.parse(event.data);
    } catch {
      return false;
    }
    if (event.type === 'turn_started') this.messageId = data.message_id;
    take(/** @type {TurnEvent} */ ({ type: event.type, id, data }));
    return event.type === 'done';
  }

  /**
   * Wait, or less if the network is back before.
   * @param {number} seconds
   */
  #pause(seconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      addEventListener('online', resolve, { once: true });
      this.#stopping.signal.addEventListener('abort', () => { clearTimeout(timer); resolve(null); }, { once: true });
    });
  }
}

/** @param {unknown} error */
function isWorthRetrying(error) {
  if (!(error instanceof ApiError)) return true;
  return error.status === 0 || [502, 503, 504].includes(error.status);
}

function lost() {
  return new ApiError(0, { code: 'connection_lost', message: 'The connection to the server is lost. The answer goes on there: reload the page to see it.', fields: [] });
}

function strange() {
  return new ApiError(200, { code: 'bad_reply', message: 'The reply is not an event stream: a proxy may have changed it. Check the proxy, then try again.', fields: [] });
}

/**
 * @template T
 * @param {number} seconds
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
function within(seconds, promise) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('silence')), seconds * 1000);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
