/** How much a workspace may use in a day. */

import { ApiError } from '../api.js';
import { element } from '../dom.js';
import { textField } from './fields.js';
import { busy, message } from './parts.js';

/** @typedef {import('../types.js').Workspace} Workspace */
/** @typedef {Workspace['quotas']} Quotas */

const QUOTAS = /** @type {[keyof Quotas, string][]} */ ([
  ['answers', 'Answers a day'],
  ['tokens', 'Tokens a day'],
  ['cost_usd', 'Dollars a day'],
  ['searches', 'Searches a day'],
]);

/**
 * @param {Workspace} workspace
 * @param {(quotas: Quotas) => Promise<void>} save
 */
export function quotaForm(workspace, save) {
  const hint = 'Empty is what the server is set to, 0 is no limit.';
  const fields = QUOTAS.map(([name, label], index) => /** @type {const} */ ([name,
    textField(label, { inputmode: 'decimal', value: workspace.quotas[name] ?? '' }, index ? {} : { hint })]));
  const press = element('button', { type: 'submit', class: 'button' }, 'Save quotas');
  const form = element('form', { novalidate: true, onsubmit: async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const wrong = fields.filter(([name, field]) => !isLimit(name, field.value));
    for (const [name, field] of wrong) field.refuse(name === 'cost_usd' ? 'Enter a number, such as 2.50.' : 'Enter a whole number.');
    if (wrong.length) return wrong[0][1].control.focus();
    const given = Object.fromEntries(fields.map(([name, { value }]) => [name, value.trim() ? Number(value) : null]));
    try {
      await busy(press, () => save(/** @type {Quotas} */ (given)));
    } catch (error) {
      const [named] = error instanceof ApiError ? error.fields : [];
      const field = fields.find(([name]) => named?.field.endsWith(name)) ?? fields[0];
      field[1].refuse(named?.reason ?? message(error));
    }
  } }, ...fields.map(([, field]) => field.root), element('div', { class: 'row' }, press));
  return element('details', {}, element('summary', {}, 'Quotas', element('span', { class: 'visually-hidden' }, ` of ${workspace.name}`)), form);
}

/**
 * @param {keyof Quotas} name
 * @param {string} text
 */
function isLimit(name, text) {
  return (name === 'cost_usd' ? /^\s*(\d+(\.\d+)?)?\s*$/ : /^\s*\d*\s*$/).test(text);
}
