/** Account: one's own password. */

import { ApiError, ask } from '../api.js';
import { element } from '../dom.js';
import { Field } from './fields.js';
import { busy, card, message, notice, resultLine } from './parts.js';

/** @typedef {import('./types.js').Context} Context */

const MIN_PASSWORD = 8;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function show(root, { me }) {
  if (!me.user) return root.append(notice('info', 'Nobody signs in to this server: there is no account and no password.'));
  if (!me.has_password) return root.append(notice('info', `You sign in with ${me.sso || 'single sign-on'}: your password is changed there.`));
  root.append(passwordCard(me.user.name));
}

/** @param {string} name */
function passwordCard(name) {
  const old = passwordField('Old password', 'current-password');
  const fresh = passwordField('New password', 'new-password', `At least ${MIN_PASSWORD} characters.`);
  const again = passwordField('New password again', 'new-password');
  const result = resultLine();
  const change = element('button', { type: 'submit', class: 'button' }, 'Change password');
  /** @type {Record<string, Field<any>>} */
  const fields = { old_password: old, new_password: fresh };
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    result.clear();
    if (!isFilled(old, fresh, again)) return;
    try {
      await busy(change, () => ask('PUT', '/password', { old_password: old.value, new_password: fresh.value }));
      old.value = fresh.value = again.value = '';
      result.say('good', 'Your password is changed. Your other browsers are signed out.');
    } catch (error) {
      const wait = error instanceof ApiError && error.retryAfterSeconds ? ` Try again in ${error.retryAfterSeconds} s.` : '';
      if (error instanceof ApiError) for (const { field, reason } of error.fields) fields[field]?.refuse(reason);
      result.say('error', `Not changed. ${message(error)}.${wait}`);
    }
  };
  return card('Password', 'Your other browsers are signed out. Tokens stay as they are.',
    // Password managers keep the new one under the name that stands with it.
    element('form', { onsubmit: submit, novalidate: true }, element('input', { type: 'text', autocomplete: 'username', value: name, hidden: true }),
      old.root, element('div', { class: 'columns' }, fresh.root, again.root), element('div', { class: 'row' }, change)), result);
}

/**
 * @param {string} label
 * @param {string} autocomplete
 * @param {string} [hint]
 */
function passwordField(label, autocomplete, hint) {
  return new Field(label, element('input', { type: 'password', class: 'field', autocomplete, maxlength: 200 }), { hint });
}

/**
 * Refuse what the server would refuse, and a new password that was mistyped.
 * @param {Field<any>} old
 * @param {Field<any>} fresh
 * @param {Field<any>} again
 */
function isFilled(old, fresh, again) {
  for (const field of [old, fresh, again]) field.clear();
  if (!old.value) old.refuse('Fill this in.');
  if (fresh.value.length < MIN_PASSWORD) fresh.refuse(`Use at least ${MIN_PASSWORD} characters.`);
  else if (again.value !== fresh.value) again.refuse('This is not the same as the new password.');
  const wrong = [old, fresh, again].find((field) => !field.fault.hidden);
  wrong?.control.focus();
  return !wrong;
}
