/** Where the documents of a library come from: how far each is read, again when, and removed. */

import { ask } from '../api.js';
import { element, plural } from '../dom.js';
import { REFRESHES } from './library-words.js';
import { badge, busy, button, card, confirmed, message, moment, resultLine } from './parts.js';

/** @typedef {import('../types.js').Library} Library */
/** @typedef {import('../types.js').LibrarySource} Source */
/** @typedef {import('../types.js').LibraryCollection} LibraryCollection */

const STATES = /** @type {Record<string, ['plain' | 'good' | 'warning' | 'error', string]>} */ ({
  waiting: ['plain', 'Waiting'], working: ['warning', 'Reading'], ready: ['good', 'Ready'], failed: ['error', 'Failed'] });

export class SourceList {
  #list = element('ul', { class: 'people' });
  #result = resultLine();
  /** What is shown of each source: a row stays as it is while nothing of it changes, and so does the focus in it. */
  #shown = /** @type {Map<string, {words: string, row: HTMLElement}>} */ (new Map());

  /**
   * @param {string} place
   * @param {boolean} mayChange
   * @param {() => Promise<void>} renew
   */
  constructor(place, mayChange, renew) {
    this.place = place;
    this.mayChange = mayChange;
    this.renew = renew;
    this.root = card('Sources', null, this.#list, this.#result);
  }

  /** @param {Library} library */
  draw({ sources, others }) {
    const open = new Set([...this.#list.querySelectorAll('details[open]')].map((each) => each.closest('li')?.dataset.key));
    const rows = [
      ...sources.map((source) => this.#kept(source.id, source, () => this.#source(source))),
      ...others.map((other) => this.#kept(`other ${other.name}`, other, () => this.#other(other)))];
    this.#list.replaceChildren(...rows);
    for (const details of this.#list.querySelectorAll('details')) details.open = open.has(details.closest('li')?.dataset.key);
    if (!rows.length) this.#list.append(element('li', { class: 'note' }, 'Nothing has been added yet.'));
  }

  /**
   * @param {string} key
   * @param {object} what
   * @param {() => HTMLElement} make
   */
  #kept(key, what, make) {
    const words = JSON.stringify(what);
    const before = this.#shown.get(key);
    if (before?.words === words) return before.row;
    const row = make();
    row.dataset.key = key;
    this.#shown.set(key, { words, row });
    return row;
  }

  /** @param {Source} source */
  #source(source) {
    const name = source.kind === 'uploads' ? 'Uploaded files' : source.location;
    const [kind, title] = STATES[source.state] ?? ['plain', source.state];
    const row = element('li', { class: 'library-source' }, element('div', { class: 'row' },
      element('span', { class: 'item-words' }, element('strong', {}, name), element('span', { class: 'note' }, this.#what(source))), badge(kind, title)));
    if (source.state === 'working') row.append(progress(source, name));
    if (source.error) row.append(element('p', { class: 'fault' }, source.error));
    if (source.failures.length) row.append(this.#failures(source));
    if (this.mayChange) row.append(this.#acts(source, name));
    return row;
  }

  /** @param {Source} source */
  #what({ counts, state, finished_at: at }) {
    if (at && state === 'failed') return element('span', {}, 'Tried · ', moment(at));
    const told = Object.entries(counts).filter(([name, count]) => count && name !== 'failed').map(([name, count]) => `${count.toLocaleString()} ${name}`);
    return at ? element('span', {}, `${told.join(', ') || 'Nothing new'} · `, moment(at)) : 'Not read yet';
  }

  /** @param {Source} source */
  #failures({ kind, failures, counts }) {
    const rows = failures.map(({ name, reason }) => element('li', {}, element('span', {}, element('strong', {}, name), `: ${reason}`),
      kind === 'uploads' && this.mayChange && this.#act('Remove', `Remove ${name}`, (pressed) => this.#try(pressed, `${name} is removed.`, () => ask('DELETE', `${this.place}/files/${encodeURIComponent(name)}`)))));
    return element('details', {}, element('summary', {}, `${plural(counts.failed ?? failures.length, 'document')} could not be read`), element('ul', {}, ...rows));
  }

  /**
   * @param {Source} source
   * @param {string} name
   */
  #acts(source, name) {
    const path = `${this.place}/sources/${source.id}`;
    const again = this.#act('Read again', `Read ${name} again`, (pressed) => this.#try(pressed, `${name} is read again.`, () => ask('POST', `${path}/refresh`, {})));
    const remove = this.#act('Remove', `Remove ${name}`, async (pressed) => {
      const text = source.kind === 'uploads' ? 'The files and their documents are removed from the server.' : 'Its documents are removed from the library. What they were read from stays.';
      if (await confirmed({ title: `Remove ${name}?`, text, yes: 'Remove' })) await this.#try(pressed, `${name} is removed.`, () => ask('DELETE', path));
    });
    return element('div', { class: 'row' }, source.kind !== 'uploads' && this.#often(source, name), again, remove);
  }

  /**
   * @param {Source} source
   * @param {string} name
   */
  #often(source, name) {
    const hours = String(source.refresh_hours);
    const choices = REFRESHES.some(([value]) => value === hours) ? REFRESHES : [...REFRESHES, /** @type {[string, string]} */ ([hours, `Every ${plural(source.refresh_hours, 'hour')}`])];
    const select = element('select', { class: 'field', 'aria-label': `When ${name} is read again` }, ...choices.map(([value, title]) => element('option', { value }, title)));
    select.value = hours;
    select.addEventListener('change', async () => {
      try {
        await ask('PATCH', `${this.place}/sources/${source.id}`, { refresh_hours: Number(select.value) });
        this.#result.say('good', 'Saved.');
        await this.renew();
      } catch (error) {
        this.#result.say('error', `Not saved. ${message(error)}`);
      }
    });
    return select;
  }

  /** @param {LibraryCollection} other */
  #other({ name, documents }) {
    const row = element('li', { class: 'library-source' }, element('div', { class: 'row' },
      element('span', { class: 'item-words' }, element('strong', {}, name), element('span', { class: 'note' }, `${plural(documents, 'document')}, added from the command line`))));
    if (this.mayChange) row.append(element('div', { class: 'row' }, this.#act('Remove', `Remove ${name}`, async (pressed) => {
      if (!await confirmed({ title: `Remove ${name}?`, text: 'Its documents are removed from the library. What they were read from stays.', yes: 'Remove' })) return;
      await this.#try(pressed, `${name} is removed.`, () => ask('DELETE', `${this.place}/collections/${encodeURIComponent(name)}`));
    })));
    return row;
  }

  /**
   * @param {string} label
   * @param {string} about
   * @param {(button: HTMLButtonElement) => void} onclick
   */
  #act(label, about, onclick) {
    const made = button(label, onclick);
    made.setAttribute('aria-label', about);
    return made;
  }

  /**
   * @param {HTMLButtonElement} pressed
   * @param {string} done
   * @param {() => Promise<unknown>} work
   */
  async #try(pressed, done, work) {
    try {
      await busy(pressed, work);
      this.#result.say('good', done);
    } catch (error) {
      this.#result.say('error', message(error));
    }
    await this.renew();
  }
}

/**
 * @param {Source} source
 * @param {string} name
 */
function progress({ done, total }, name) {
  const bar = element('progress', { 'aria-label': `How far ${name} is read` });
  if (total) Object.assign(bar, { max: total, value: done });
  return element('div', {}, bar, total ? element('p', { class: 'hint' }, `${done.toLocaleString()} of ${total.toLocaleString()}`) : null);
}
