/** A form of few fields that says what is wrong and keeps what was typed. */

import { ApiError } from '../api.js';
import { element, find, icon, iconButton } from '../dom.js';

/** @typedef {Record<string, HTMLInputElement>} Inputs  by the names that the server uses */

/**
 * @param {string} id
 * @returns {HTMLInputElement}
 */
export function input(id) {
  return /** @type {HTMLInputElement} */ (find(`#${id}`));
}

/**
 * @param {Inputs} inputs
 * @param {() => Promise<void>} submit  leaves the page when it is done
 */
export function attachForm(inputs, submit) {
  const button = find('#submit');
  find('#form').addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.ariaBusy === 'true' || !isFilled(inputs)) return;
    button.ariaBusy = 'true';
    const turning = element('span', { class: 'spinner' });
    button.prepend(turning);
    try {
      await submit();
    } catch (error) {
      showFault(error, inputs);
    } finally {
      turning.remove();
      button.ariaBusy = null;
    }
  });
  for (const each of Object.values(inputs)) each.addEventListener('input', () => clear(each));
  attachEye(input('password'));
}

/** @param {Inputs} inputs */
function isFilled(inputs) {
  find('#problem').replaceChildren();
  const wrong = Object.values(inputs).filter((each) => !each.value.trim() || each.value.length < each.minLength);
  for (const each of wrong) refuse(each, each.value.trim() ? `Use at least ${each.minLength} characters.` : 'Fill this in.');
  wrong[0]?.focus();
  return !wrong.length;
}

/**
 * @param {unknown} error
 * @param {Inputs} inputs
 */
function showFault(error, inputs) {
  const words = error instanceof Error ? error.message : String(error);
  const known = error instanceof ApiError ? error.fields.filter(({ field }) => inputs[field]) : [];
  for (const { field, reason } of known) refuse(inputs[field], reason.charAt(0).toUpperCase() + reason.slice(1));
  const wait = error instanceof ApiError && error.retryAfterSeconds ? ` Try again in ${error.retryAfterSeconds} s.` : '';
  if (!known.length) find('#problem').replaceChildren(element('div', { class: 'notice', 'data-kind': 'error' }, icon('warning'), element('p', {}, `${words.charAt(0).toUpperCase()}${words.slice(1)}.${wait}`.replace('..', '.'))));
  const first = known.length ? inputs[known[0].field] : input('password');
  first.focus();
  first.select();
}

/**
 * @param {HTMLInputElement} field
 * @param {string} reason
 */
function refuse(field, reason) {
  clear(field);
  const fault = element('p', { class: 'fault', id: `${field.id}-fault` }, reason);
  field.closest('.entry-field')?.append(fault);
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', [field.getAttribute('aria-describedby'), fault.id].filter(Boolean).join(' '));
}

/** @param {HTMLInputElement} field */
function clear(field) {
  const fault = document.getElementById(`${field.id}-fault`);
  if (!fault) return;
  fault.remove();
  field.removeAttribute('aria-invalid');
  const rest = (field.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id && id !== fault.id).join(' ');
  if (rest) field.setAttribute('aria-describedby', rest);
  else field.removeAttribute('aria-describedby');
}

/** @param {HTMLInputElement} field */
function attachEye(field) {
  const eye = iconButton('Show the password', 'eye', () => {
    const isShown = field.type === 'password';
    field.type = isShown ? 'text' : 'password';
    eye.setAttribute('aria-pressed', String(isShown));
    field.focus();
  }, { 'aria-pressed': 'false' });
  eye.querySelector('use')?.setAttribute('href', '/page/settings/signs.svg#eye');
  field.after(eye);
}
