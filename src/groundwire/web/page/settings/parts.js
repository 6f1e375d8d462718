/** Components of the settings page: cards, icons, badges, notices, dialogs. */

import { avatar, element, icon } from '../dom.js';

/** @typedef {import('../dom.js').Child} Child */

/** What a member may do, and how it is called. */
export const ROLES = /** @type {[string, string][]} */ ([['member', 'Member'], ['admin', 'Admin']]);

/**
 * Make an icon of the settings' own sprite.
 * @param {string} name
 */
export function sign(name) {
  return icon(name, '/page/settings/signs.svg');
}

/**
 * Return what an error says to a person.
 * @param {unknown} error
 */
export function message(error) {
  const words = error instanceof Error ? error.message : String(error);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * @param {string} title
 * @param {string | Node | null} note
 * @param {...Child} children
 */
export function card(title, note, ...children) {
  return element('section', { class: 'card' },
    element('div', { class: 'card-head' }, element('h2', {}, title), note && element('p', { class: 'note' }, note)), ...children);
}

/**
 * @param {'plain' | 'good' | 'warning' | 'error'} kind
 * @param {...Child} children
 */
export function badge(kind, ...children) {
  return element('span', { class: 'badge', 'data-kind': kind }, ...children);
}

/**
 * @param {'info' | 'good' | 'warning' | 'error'} kind
 * @param {...Child} children
 */
export function notice(kind, ...children) {
  const name = { info: 'shield', good: 'check', warning: 'warning', error: 'warning' }[kind];
  return element('div', { class: 'notice', 'data-kind': kind }, icon(name), element('p', {}, ...children));
}

export function waiting() {
  return element('p', { class: 'waiting' }, element('span', { class: 'spinner' }), 'Loading…');
}

/**
 * An error notice with a button to retry.
 * @param {unknown} error
 * @param {() => void} retry
 */
export function failure(error, retry) {
  const shown = notice('error', message(error));
  shown.setAttribute('role', 'alert');
  shown.append(element('button', { type: 'button', class: 'link-button', onclick: retry }, 'Retry'));
  return shown;
}

/**
 * The notice above settings that the user may only read.
 * @param {'an admin of the workspace' | 'the owner of this server'} who
 */
export function onlyFor(who) {
  return notice('info', `Read-only: only ${who} can change this.`);
}

/**
 * A line that a screen reader is told of when it changes.
 * @returns {HTMLElement & {say: (kind: 'info' | 'good' | 'warning' | 'error', ...words: Child[]) => void, clear: () => void}}
 */
export function resultLine() {
  const line = element('div', { class: 'result', role: 'status' });
  return Object.assign(line, {
    say: (/** @type {'info' | 'good' | 'warning' | 'error'} */ kind, /** @type {Child[]} */ ...words) => line.replaceChildren(notice(kind, ...words)),
    clear: () => line.replaceChildren(),
  });
}

/**
 * Run what a button starts: once at a time, with a spinner.
 * @template T
 * @param {HTMLButtonElement} button
 * @param {() => Promise<T>} work
 * @returns {Promise<T | undefined>}
 */
export async function busy(button, work) {
  if (button.ariaBusy === 'true') return undefined;
  button.ariaBusy = 'true';
  const turning = element('span', { class: 'spinner' });
  button.prepend(turning);
  try {
    return await work();
  } finally {
    turning.remove();
    button.ariaBusy = null;
  }
}

/**
 * @param {string} label
 * @param {(button: HTMLButtonElement) => void} onclick
 * @param {string} [look]
 */
export function button(label, onclick, look = 'is-plain') {
  const made = element('button', { type: 'button', class: `button ${look}` }, label);
  made.addEventListener('click', () => onclick(made));
  return made;
}

/**
 * Ask before something that cannot be undone.
 * @param {{title: string, text: string, yes: string, no?: string}} question
 * @returns {Promise<boolean>}
 */
export function confirmed({ title, text, yes, no = 'Cancel' }) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const dialog = element('dialog', { class: 'dialog', 'aria-labelledby': 'dialog-title', 'aria-describedby': 'dialog-text' },
      element('h2', { id: 'dialog-title' }, title), element('p', { id: 'dialog-text' }, text),
      element('form', { method: 'dialog', class: 'row is-end' },
        element('button', { class: 'button is-plain', value: 'no', autofocus: true }, no), element('button', { class: 'button is-danger', value: 'yes' }, yes)));
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * @param {string} iso
 */
export function moment(iso) {
  const at = new Date(iso);
  return element('time', { datetime: iso, title: at.toLocaleString() }, at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }));
}

/**
 * Make the sign of somebody or something in a list.
 * @param {string} name
 * @param {number} [place]  in a list whose members must not look alike
 */
export function portrait(name, place) {
  return avatar(name, 'avatar is-large', place);
}

/**
 * The way back to a list.
 * @param {string} href
 * @param {string} label
 */
export function backLink(href, label) {
  return element('a', { class: 'back', href }, icon('left'), label);
}
