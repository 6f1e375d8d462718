/** The people who can sign in to this server; for its owner only. */

import { ApiError, ask } from '../api.js';
import { element } from '../dom.js';
import { Field, textField } from './fields.js';
import { badge, busy, button, card, confirmed, message, portrait, resultLine } from './parts.js';

/** @typedef {import('../types.js').User} User */

const MIN_PASSWORD = 8;

/**
 * @param {User[]} users
 * @param {(users: User[]) => void} onChange
 */
export function peopleCard(users, onChange) {
  const list = element('ul', { class: 'people' });
  const result = resultLine();
  const name = textField('Name', { required: true, maxlength: 100, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
  const password = new Field('First password', element('input', { type: 'password', class: 'field', autocomplete: 'new-password', minlength: MIN_PASSWORD }), { hint: `At least ${MIN_PASSWORD} characters. Hand it over in person.` });
  const add = element('button', { type: 'submit', class: 'button' }, 'Add person');
  /** @type {Record<string, Field<any>>} */
  const fields = { name, password };
  const change = (/** @type {User[]} */ changed) => {
    users = changed;
    draw();
    onChange(users);
  };
  const remove = async (/** @type {User} */ user, /** @type {HTMLButtonElement} */ pressed) => {
    if (!await confirmed({ title: `Delete ${user.name}?`, text: 'Their chats are deleted as well. This cannot be undone.', yes: 'Delete person' })) return;
    try {
      await busy(pressed, () => ask('DELETE', `/users/${user.id}`));
      change(users.filter(({ id }) => id !== user.id));
      result.say('good', `${user.name} is deleted.`);
    } catch (error) {
      result.say('error', `Not deleted. ${message(error)}`);
    }
  };
  const draw = () => list.replaceChildren(...users.map((user) => personRow(user, remove)));
  const make = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    for (const field of [name, password]) field.clear();
    if (password.value.length < MIN_PASSWORD) return password.refuse(`Use at least ${MIN_PASSWORD} characters.`);
    try {
      const made = await busy(add, () => ask('POST', '/users', { name: name.value.trim(), password: password.value }));
      if (!made) return;
      name.value = password.value = '';
      change([...users, made]);
      result.say('good', `${made.name} can sign in now. Add them to a workspace next.`);
    } catch (error) {
      if (error instanceof ApiError) for (const { field, reason } of error.fields) fields[field]?.refuse(reason);
      result.say('error', `Not added. ${message(error)}`);
    }
  };
  draw();
  return card('People on this server', null, list,
    element('form', { onsubmit: make, novalidate: true }, element('div', { class: 'columns' }, name.root, password.root), element('div', { class: 'row' }, add)), result);
}

/**
 * @param {User} user
 * @param {(user: User, button: HTMLButtonElement) => void} remove
 */
function personRow(user, remove) {
  const act = user.is_owner ? null : button('Delete', (pressed) => remove(user, pressed));
  act?.setAttribute('aria-label', `Delete ${user.name}`);
  return element('li', { class: 'person-row' }, portrait(user.name), element('span', { class: 'item-words' }, element('strong', {}, user.name)), user.is_owner && badge('plain', 'Owner'), act);
}
