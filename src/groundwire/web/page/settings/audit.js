/** Audit: who changed which setting, and how it was before. */

import { ask, query } from '../api.js';
import { announce, element, plural } from '../dom.js';
import { textField } from './fields.js';
import { button, busy, message, moment, notice, resultLine } from './parts.js';

/** @typedef {import('../types.js').Audit} AuditEntry */
/** @typedef {import('./types.js').Context} Context */

const PAGE_SIZE = 100;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function show(root, context) {
  const filter = textField('Find a change', { type: 'search', placeholder: 'Person, setting or value' });
  const list = element('ol', { class: 'audit' });
  const result = resultLine();
  /** @type {AuditEntry[]} */
  let entries = [];
  const load = async () => {
    const before = entries.at(-1)?.at;
    // The owner sees the whole server: providers and people belong to no workspace.
    const workspace_id = context.isOwner ? null : context.workspace?.id;
    const older = /** @type {AuditEntry[]} */ (await ask('GET', `/audit${query({ workspace_id, before, limit: PAGE_SIZE })}`));
    entries = [...entries, ...older];
    more.hidden = older.length < PAGE_SIZE;
    draw();
  };
  const more = button('Show older changes', (pressed) => busy(pressed, load).catch((error) => result.say('error', message(error))));
  const draw = () => {
    const words = filter.value.trim().toLowerCase();
    const found = entries.filter((entry) => JSON.stringify([entry.actor, entry.action, entry.subject, entry.before, entry.after]).toLowerCase().includes(words));
    list.replaceChildren(...found.map(item));
    if (!found.length) list.append(element('li', { class: 'note' }, 'No change matches.'));
    if (words) announce(`${plural(found.length, 'change')} found`);
  };
  await load();
  filter.control.addEventListener('input', draw);
  root.append(element('div', { class: 'section-intro' }, element('p', {}, 'Every change of settings, the newest first. Keys and passwords are never in it.')));
  if (!entries.length) return void root.append(notice('info', 'Nothing has been changed yet.'));
  root.append(element('section', { class: 'card' }, filter.root, list, element('div', { class: 'row' }, more), result));
}

/** @param {AuditEntry} entry */
function item({ at, actor, action, subject, before, after }) {
  const changes = differences(before, after);
  return element('li', { class: 'audit-entry' }, element('p', {}, element('strong', {}, actor), ` ${action} `, element('strong', {}, subject), element('span', { class: 'note' }, moment(at))),
    changes.length > 0 && element('dl', {}, ...changes.map(({ name, from, to }) => element('div', {}, element('dt', {}, name.replaceAll('_', ' ')),
      element('dd', {}, from !== null && element('del', {}, from), from !== null && to !== null && element('span', { class: 'visually-hidden' }, ' became '), to !== null && element('ins', {}, to))))));
}

/**
 * Return what differs, value by value.
 * @param {any} before
 * @param {any} after
 */
function differences(before, after) {
  if (!isRecord(before) && !isRecord(after)) return before === after ? [] : [{ name: 'set to', from: words(before), to: words(after) }];
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.map((name) => ({ name, from: words(before?.[name]), to: words(after?.[name]) })).filter(({ from, to }) => from !== to);
}

/** @param {any} value */
function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * @param {any} value
 * @returns {string | null}
 */
function words(value) {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length ? value.map((each) => words(each) ?? '').join(', ') : 'none';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
