/** The list of conversations, newest first, by day: find, rename, delete with a way back. */

import { ask, query, send } from './api.js';
import { announce, element, find, iconButton, plural, toast } from './dom.js';

/** @typedef {import('./types.js').Session} Session */

const UNDO_SECONDS = 6;

export class SessionList {
  #root = find('#sessions');
  #field = /** @type {HTMLInputElement} */ (find('#session-search'));
  /** @type {Session[]} */
  #sessions = [];
  /** @type {string | null} */
  #next = null;
  /** @type {string | null} */
  #current = null;
  /** Deleted here, and on the server once it is too late for undo. @type {Set<string>} */
  #doomed = new Set();
  #loads = 0;
  #timer = 0;
  /** @type {string | null} */
  workspaceId = null;

  /** @param {{onDeleted: (id: string) => void, onCurrent: (session: Session) => void}} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    this.#field.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.load(), 180);
    });
    addEventListener('pagehide', () => {
      for (const id of this.#doomed) void send('DELETE', `/sessions/${id}`, undefined, { keepalive: true }).catch(() => {});
    });
  }

  focusSearch() {
    this.#field.focus();
    this.#field.select();
  }

  /** @param {string | null} id */
  setCurrent(id) {
    this.#current = id;
    for (const link of this.#root.querySelectorAll('a[data-id]')) {
      if (link instanceof HTMLElement && link.dataset.id === id) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  }

  /** @param {boolean} [isMore] */
  async load(isMore = false) {
    const load = ++this.#loads;
    const words = this.#field.value.trim();
    try {
      const before = isMore ? this.#next : null;
      const found = await ask('GET', `/sessions${query({ workspace_id: this.workspaceId, query: words, limit: 50, before })}`);
      if (load !== this.#loads) return;
      this.#sessions = isMore ? [...this.#sessions, ...found.sessions] : found.sessions;
      this.#next = found.next;
      this.#render();
      if (words) announce(`${plural(this.#sessions.length, 'chat')} found`);
    } catch (error) {
      if (load === this.#loads) this.#root.replaceChildren(element('p', { class: 'list-note' }, error instanceof Error ? error.message : String(error)));
    }
  }

  #render() {
    // Whoever writes a title keeps the field; the list is shown anew when they are done.
    if (this.#root.querySelector('input')) return;
    const shown = this.#sessions.filter((session) => !this.#doomed.has(session.id));
    const groups = Map.groupBy(shown, (session) => dayOf(session.updated_at));
    const parts = [...groups].map(([name, sessions]) => element('section', {},
      element('h2', {}, name), element('ul', {}, ...sessions.map((session) => this.#item(session)))));
    const note = this.#field.value.trim() ? 'No chat has these words.' : 'Your chats will be here.';
    if (!shown.length) parts.push(element('p', { class: 'list-note' }, note));
    if (this.#next) parts.push(element('button', { type: 'button', class: 'link-button', onclick: () => this.load(true) }, 'Show older chats'));
    this.#root.replaceChildren(...parts);
    this.setCurrent(this.#current);
    const current = shown.find(({ id }) => id === this.#current);
    if (current) this.hooks.onCurrent(current);
  }

  /** @param {Session} session */
  #item(session) {
    const title = session.title || 'New chat';
    const item = element('li', { class: 'session' },
      element('a', { href: `/s/${session.id}`, 'data-route': true, 'data-id': session.id, title },
        session.is_running && element('span', { class: 'spinner', role: 'img', 'aria-label': 'Running' }), element('span', { dir: 'auto' }, title)),
      iconButton(`Rename ${title}`, 'edit', () => this.#rename(session, item)),
      iconButton(`Delete ${title}`, 'trash', () => this.#delete(session)));
    return item;
  }

  /**
   * @param {Session} session
   * @param {HTMLElement} item
   */
  #rename(session, item) {
    const field = element('input', { class: 'field', dir: 'auto', value: session.title, 'aria-label': 'New title', maxlength: 200 });
    let isOver = false;
    const end = async (/** @type {boolean} */ isKept) => {
      if (isOver) return;
      isOver = true;
      const title = field.value.trim();
      if (isKept && title && title !== session.title) await this.#keepTitle(session, title);
      field.remove();
      this.#render();
      this.#link(session.id)?.focus();
    };
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) void end(true);
      if (event.key === 'Escape') void end(false);
    });
    field.addEventListener('blur', () => end(true));
    item.replaceChildren(field);
    field.focus();
    field.select();
  }

  /**
   * @param {Session} session
   * @param {string} title
   */
  async #keepTitle(session, title) {
    try {
      await ask('PATCH', `/sessions/${session.id}`, { title });
      session.title = title;
      if (session.id === this.#current) this.hooks.onCurrent(session);
      announce(`Renamed to ${title}`);
      // A list that was asked for before has the old title.
      await this.load();
    } catch (error) {
      toast(`Not renamed: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** @param {Session} session */
  #delete(session) {
    const links = [...this.#root.querySelectorAll('a[data-id]')];
    const at = links.findIndex((link) => link === this.#link(session.id));
    const next = links[at + 1] ?? links[at - 1];
    this.#doomed.add(session.id);
    this.#render();
    const nextId = next instanceof HTMLElement ? next.dataset.id : undefined;
    (nextId ? this.#link(nextId) : this.#field)?.focus();
    this.hooks.onDeleted(session.id);
    announce(`Deleted ${session.title}`);
    toast(`“${session.title || 'New chat'}” deleted`, {
      label: 'Undo', seconds: UNDO_SECONDS,
      run: () => {
        this.#doomed.delete(session.id);
        this.#render();
        this.#link(session.id)?.focus();
      },
      onEnd: () => { void this.#deleteNow(session); },
    });
  }

  /** @param {Session} session */
  async #deleteNow(session) {
    try {
      await ask('DELETE', `/sessions/${session.id}`);
      this.#sessions = this.#sessions.filter((each) => each.id !== session.id);
    } catch (error) {
      toast(`Not deleted: ${error instanceof Error ? error.message : error}`);
    }
    this.#doomed.delete(session.id);
    this.#render();
  }

  /**
   * @param {string} id
   * @returns {HTMLElement | null}
   */
  #link(id) {
    return this.#root.querySelector(`a[data-id="${CSS.escape(id)}"]`);
  }
}

/** @param {string} date */
function dayOf(date) {
  const time = new Date(date);
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const days = Math.ceil((midnight.getTime() - time.getTime()) / 86_400_000);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days <= 7) return 'Previous 7 days';
  if (days <= 30) return 'Previous 30 days';
  return time.toLocaleDateString(undefined, { month: 'long', year: 'numeric' });
}
