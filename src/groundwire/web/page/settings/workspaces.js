/** Workspaces: made, renamed and deleted by the owner of the server. */

import { ApiError, ask } from '../api.js';
import { element, plural } from '../dom.js';
import { textField } from './fields.js';
import { quotaForm } from './quotas.js';
import { badge, busy, button, card, confirmed, message, notice, onlyFor, portrait, resultLine } from './parts.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Workspace} Workspace */

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function show(root, context) {
  root.append(element('div', { class: 'section-intro' }, element('p', {}, 'A workspace has its own agents, members and domains; nobody sees the chats of another one.')));
  if (!context.mayChange) return void root.append(onlyFor('the owner of this server'));
  const spaces = /** @type {Workspace[]} */ (await ask('GET', '/workspaces'));
  const list = element('ul', { class: 'people' });
  const result = resultLine();
  const draw = () => list.replaceChildren(...spaces.map((space) => row(space, spaces.length, { rename, remove, limit })));
  const change = async () => {
    draw();
    await context.renew();
  };
  const rename = async (/** @type {Workspace} */ space, /** @type {string} */ name) => {
    Object.assign(space, await ask('PATCH', `/workspaces/${space.id}`, { name }));
    await change();
    result.say('good', `The workspace is called ${space.name} now.`);
  };
  const limit = async (/** @type {Workspace} */ space, /** @type {Workspace['quotas']} */ quotas) => {
    Object.assign(space, await ask('PATCH', `/workspaces/${space.id}`, { quotas }));
    result.say('good', `The quotas of ${space.name} are saved.`);
  };
  const remove = async (/** @type {Workspace} */ space, /** @type {HTMLButtonElement} */ pressed) => {
    const text = 'Its agents, chats, members, tokens and library go with it. This cannot be undone.';
    if (!await confirmed({ title: `Delete ${space.name}?`, text, yes: 'Delete workspace' })) return;
    try {
      await busy(pressed, () => ask('DELETE', `/workspaces/${space.id}`));
      spaces.splice(spaces.indexOf(space), 1);
      await change();
      result.say('good', `${space.name} is deleted.`);
    } catch (error) {
      result.say('error', `Not deleted. ${message(error)}`);
    }
  };
  draw();
  root.append(card('Workspaces', null, list, result), newCard(spaces, change));
}

/**
 * @param {Workspace} space
 * @param {number} count
 * @param {{rename: (space: Workspace, name: string) => Promise<void>, remove: (space: Workspace, button: HTMLButtonElement) => void, limit: (space: Workspace, quotas: Workspace['quotas']) => Promise<void>}} acts
 */
function row(space, count, { rename, remove, limit }) {
  const domains = space.web_allowed_domains;
  const place = !domains.length ? 'No web' : domains.includes('*') ? 'Whole web' : plural(domains.length, 'domain');
  const name = textField(`New name of ${space.name}`, { maxlength: 100, value: space.name });
  const save = element('button', { type: 'submit', class: 'button' }, 'Save name');
  const form = element('form', { novalidate: true, onsubmit: async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (!name.value.trim()) return name.refuse('Enter a name.');
    try {
      await busy(save, () => rename(space, name.value.trim()));
    } catch (error) {
      name.refuse(message(error));
    }
  } }, name.root, element('div', { class: 'row' }, save));
  const act = count > 1 ? button('Delete', (pressed) => remove(space, pressed)) : null;
  act?.setAttribute('aria-label', `Delete ${space.name}`);
  const renaming = element('details', {}, element('summary', {}, 'Rename', element('span', { class: 'visually-hidden' }, ` ${space.name}`)), form);
  return element('li', { class: 'service' }, element('div', { class: 'person-row' }, portrait(space.name), element('span', { class: 'item-words' }, element('strong', {}, space.name)), badge('plain', place), act), renaming, quotaForm(space, (quotas) => limit(space, quotas)));
}

/**
 * @param {Workspace[]} spaces
 * @param {() => Promise<void>} onChange
 */
function newCard(spaces, onChange) {
  const name = textField('Name', { required: true, maxlength: 100 }, { hint: 'A team, a topic, a customer.' });
  const made = element('div', { role: 'status' });
  const add = element('button', { type: 'submit', class: 'button' }, 'Create workspace');
  const make = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (!name.value.trim()) return name.refuse('Enter a name.');
    try {
      const space = await busy(add, () => ask('POST', '/workspaces', { name: name.value.trim() }));
      if (!space) return;
      name.value = '';
      spaces.push(space);
      await onChange();
      made.replaceChildren(notice('good', `${space.name} is there, without agents yet. Choose it in the menu, then `,
        element('a', { href: '/settings/agents#new' }, 'make its first agent'), ' and ', element('a', { href: '/settings/web-access' }, 'say where it may go'), '.'));
    } catch (error) {
      if (error instanceof ApiError && error.fields.length) return name.refuse(error.fields[0].reason);
      name.refuse(message(error));
    }
  };
  return card('New workspace', null, element('form', { onsubmit: make, novalidate: true }, name.root, element('div', { class: 'row' }, add)), made);
}
