/** The library of a workspace: what is in it, where it comes from, and what is found in it. */

import { ask } from '../api.js';
import { element } from '../dom.js';
import { documentsCard } from './library-documents.js';
import { SourceList } from './library-sources.js';
import { uploadCard } from './library-uploads.js';
import { REFRESHES, size } from './library-words.js';
import { choiceField, textField } from './fields.js';
import { busy, button, card, message, notice, onlyFor, resultLine } from './parts.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Library} Library */

const POLL_MILLISECONDS = 1000;
const EVERYWHERE = '*';
/** Where documents of a library are, among the domains of a workspace. */
const HOST = 'library.test';

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function show(root, context) {
  const { workspace } = context;
  root.append(element('div', { class: 'section-intro' }, element('p', {}, 'Documents of your own, which the agents of this workspace search and cite like web pages. No other workspace finds them.')));
  if (!workspace) return void root.append(notice('info', 'There is no workspace yet.'));
  const place = `/workspaces/${workspace.id}/library`;
  const [library, { web_allowed_domains: domains }] = /** @type {[Library, import('../types.js').Workspace]} */ (await Promise.all([ask('GET', place), ask('GET', `/workspaces/${workspace.id}`)]));
  const view = new LibraryView(place, context.mayChange);
  const documents = documentsCard(place, workspace.id, context.mayChange, view.renew);
  view.whenRead = documents.renew;
  if (!context.mayChange) root.append(onlyFor('an admin of the workspace'));
  if (!domains.some((each) => each === EVERYWHERE || each === HOST)) root.append(notAllowed(workspace.id, domains, context.mayChange));
  root.append(view.numbers);
  if (context.mayChange) root.append(uploadCard(place, library, view.renew), addCard(place, library, context.isOwner, view.renew));
  root.append(view.sources.root, documents.root);
  view.draw(library);
  // The section is there before the list is.
  void documents.renew();
}

/**
 * What keeps agents from using any of it: documents are pages, and have a domain like all others.
 * @param {string} workspaceId
 * @param {string[]} domains
 * @param {boolean} mayChange
 */
function notAllowed(workspaceId, domains, mayChange) {
  const line = resultLine();
  const allow = button('Let agents use it', async (pressed) => {
    try {
      await busy(pressed, () => ask('PATCH', `/workspaces/${workspaceId}`, { web_allowed_domains: [...domains, HOST] }));
      line.say('good', 'Agents of this workspace search and cite the library.');
    } catch (error) {
      line.say('error', message(error));
    }
  });
  line.say('warning', 'Agents of this workspace do not find these documents: ', element('code', {}, HOST), ' is not among the domains under Web Access. ', mayChange ? allow : null);
  return line;
}

/** What there is, asked for anew as long as something is read. */
class LibraryView {
  #timer = 0;
  #wasBusy = false;
  whenRead = () => Promise.resolve();

  /**
   * @param {string} place
   * @param {boolean} mayChange
   */
  constructor(place, mayChange) {
    this.place = place;
    this.numbers = element('dl', { class: 'tiles' });
    this.renew = async () => this.draw(await ask('GET', place));
    // With a source its documents go.
    this.sources = new SourceList(place, mayChange, async () => { await this.renew(); await this.whenRead(); });
  }

  /** @param {Library} library */
  draw(library) {
    const tiles = [['Documents', library.documents.toLocaleString()], ['Passages', library.passages.toLocaleString()], ['Size', size(library.size)]];
    if (library.embedded !== null) tiles.push(['Also by meaning', library.embedded.toLocaleString()]);
    this.numbers.replaceChildren(...tiles.map(([name, value]) => element('div', { class: 'tile' }, element('dt', {}, name), element('dd', {}, value))));
    this.sources.draw(library);
    const isBusy = library.sources.some(({ state }) => state === 'waiting' || state === 'working');
    if (this.#wasBusy && !isBusy) void this.whenRead();
    this.#wasBusy = isBusy;
    clearTimeout(this.#timer);
    if (isBusy) this.#timer = setTimeout(() => { void this.#look(); }, POLL_MILLISECONDS);
  }

  async #look() {
    // The section was left: nobody looks any more.
    if (!this.numbers.isConnected) return;
    try {
      await this.renew();
    } catch {
      this.#timer = setTimeout(() => { void this.#look(); }, 5 * POLL_MILLISECONDS);
    }
  }
}

/**
 * A page of the web or a folder of the server.
 * @param {string} place
 * @param {Library} library
 * @param {boolean} isOwner
 * @param {() => Promise<void>} renew
 */
function addCard(place, library, isOwner, renew) {
  const url = textField('Address of a page', { type: 'url', inputmode: 'url', placeholder: 'https://' });
  const made = card('Add a page', 'It is read through the same guard as everything that agents open, within the domains of this workspace.', sourceForm(place, 'url', url, 'Add page', renew));
  if (!isOwner) return made;
  const folder = textField('Folder on the server', { class: 'field is-code', placeholder: library.folders[0] ?? '' }, {
    hint: library.folders.length ? `Allowed by the settings: ${library.folders.join(', ')}` : undefined });
  const heading = element('div', { class: 'card-head' }, element('h2', {}, 'Add a folder of the server'));
  made.append(heading, library.folders.length ? sourceForm(place, 'folder', folder, 'Add folder', renew)
    : notice('info', 'The settings allow none. Name folders that may be read under ', element('code', {}, 'library.folders'), '.'));
  return made;
}

/**
 * @param {string} place
 * @param {'url' | 'folder'} kind
 * @param {import('./fields.js').Field<HTMLInputElement>} field
 * @param {string} label
 * @param {() => Promise<void>} renew
 */
function sourceForm(place, kind, field, label, renew) {
  const often = choiceField('Read again', REFRESHES, kind === 'url' ? '0' : '24');
  const add = element('button', { type: 'submit', class: 'button' }, label);
  const result = resultLine();
  const form = element('form', { novalidate: true }, element('div', { class: 'columns' }, field.root, often.root), element('div', { class: 'row' }, add), result);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const location = field.value.trim();
    if (!location) return field.refuse(kind === 'url' ? 'Enter an address.' : 'Enter a folder.');
    try {
      await busy(add, () => ask('POST', `${place}/sources`, { kind, location, refresh_hours: Number(often.value) }));
      field.value = '';
      result.say('good', 'Added. It is read in the background: see Sources.');
      await renew();
    } catch (error) {
      result.clear();
      field.refuse(message(error));
      field.control.focus();
    }
  });
  return form;
}
