/** The documents of a library: listed, searched by their words, and removed one by one. */

import { ask, query } from '../api.js';
import { element, openLibraryOf, outsideLink } from '../dom.js';
import { textField } from './fields.js';
import { busy, button, card, confirmed, message, resultLine } from './parts.js';

/** @typedef {import('../types.js').LibraryDocument} LibraryDocument */
/** @typedef {import('../types.js').LibraryFound} Found */

const AT_ONCE = 50;

/**
 * @param {string} place
 * @param {string} workspaceId
 * @param {boolean} mayChange
 * @param {() => Promise<void>} changed
 */
export function documentsCard(place, workspaceId, mayChange, changed) {
  const list = element('ul', { class: 'people' });
  const result = resultLine();
  const words = textField('Search the documents', { type: 'search' }, { hint: 'Finds passages as agents do. Empty, it lists all documents.' });
  const search = element('button', { type: 'submit', class: 'button' }, 'Search');
  const more = button('Show more', () => { void list_(false); });
  const form = element('form', { class: 'row is-tight', role: 'search', novalidate: true }, words.root, search);
  let last = 0;
  let asks = 0;

  openLibraryOf(workspaceId);
  const link = (/** @type {{url: string, title: string}} */ { url, title }) => outsideLink(url, { dir: 'auto' }, title || url);

  const row = (/** @type {LibraryDocument} */ found) => {
    // The list is long: why a document cannot be removed is said where it stands.
    const fault = element('span', { role: 'status' });
    const shown = element('li', { class: 'library-document' }, element('span', { class: 'item-words' }, link(found), element('span', { class: 'note' }, `${found.collection} · ${found.path}`), fault));
    if (!mayChange) return shown;
    const remove = button('Remove', async (pressed) => {
      if (!await confirmed({ title: `Remove ${found.title || found.path}?`, text: 'It is no longer found or cited.', yes: 'Remove' })) return;
      try {
        await busy(pressed, () => ask('DELETE', `${place}/documents/${found.id}`));
        shown.remove();
        result.say('good', `${found.title || found.path} is removed.`);
        await changed();
      } catch (error) {
        fault.replaceChildren(element('span', { class: 'fault' }, message(error)));
      }
    });
    remove.setAttribute('aria-label', `Remove ${found.title || found.path}`);
    shown.append(remove);
    return shown;
  };

  const list_ = async (/** @type {boolean} */ isNew) => {
    if (isNew) last = 0;
    const asked = ++asks;
    const found = /** @type {LibraryDocument[]} */ (await ask('GET', `${place}/documents${query({ after: last, limit: AT_ONCE })}`));
    // Overtaken by what was asked for since.
    if (asked !== asks) return;
    if (isNew) list.replaceChildren();
    list.append(...found.map(row));
    last = found.at(-1)?.id ?? last;
    more.hidden = found.length < AT_ONCE;
    if (!list.children.length) list.append(element('li', { class: 'note' }, 'There are no documents yet.'));
  };

  const find = async () => {
    const asked = ++asks;
    const { hits, note } = /** @type {Found} */ (await ask('GET', `${place}/search${query({ query: words.value })}`));
    if (asked !== asks) return;
    list.replaceChildren(...hits.map((hit) => element('li', { class: 'library-document' }, element('span', { class: 'item-words' }, link(hit),
      element('span', { class: 'note' }, [...hit.headings.filter((each) => each !== hit.title && !hit.snippet.startsWith(each)), hit.snippet].join(' › '))))));
    if (!hits.length) list.append(element('li', { class: 'note' }, 'Nothing is found with these words.'));
    if (note) result.say('warning', `${note.charAt(0).toUpperCase()}${note.slice(1)}.`);
    else result.clear();
    more.hidden = true;
  };

  const renew = async () => {
    try {
      await (words.value.trim() ? find() : list_(true));
    } catch (error) {
      result.say('error', message(error));
    }
  };
  form.addEventListener('submit', (event) => { event.preventDefault(); void busy(search, renew); });
  return { root: card('Documents', null, form, result, list, more), renew };
}
