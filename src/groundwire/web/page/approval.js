/** Asks the user before a tool changes something: what it would do, with which arguments. */

import { ask } from './api.js';
import { element, icon } from './dom.js';

/** @typedef {import('./types.js').ToolRun} ToolRun */
/** @typedef {import('./types.js').Tool} Tool */

/** @type {Promise<Tool[]> | null} */
let tools = null;

/**
 * @param {ToolRun[]} runs
 * @param {(decisions: Record<string, boolean>) => void} onDecided
 */
export function approvalRequest(runs, onDecided) {
  /** @type {Record<string, boolean>} */
  const decisions = {};
  const decide = (/** @type {ToolRun} */ run, /** @type {boolean} */ isApproved, /** @type {HTMLElement} */ buttons) => {
    decisions[run.id] = isApproved;
    buttons.replaceChildren(element('span', { class: 'decision' }, icon(isApproved ? 'check' : 'close'), isApproved ? 'Approved' : 'Declined'));
    if (Object.keys(decisions).length === runs.length) onDecided(decisions);
    else form.querySelector('button')?.focus();
  };
  const form = element('div', { class: 'approval', role: 'group', 'aria-label': 'Your approval is needed' },
    element('p', { class: 'approval-name' }, icon('shield'), 'Your approval is needed'),
    ...runs.map((run) => request(run, decide)));
  return form;
}

/**
 * @param {ToolRun} run
 * @param {(run: ToolRun, isApproved: boolean, buttons: HTMLElement) => void} decide
 */
function request(run, decide) {
  const buttons = element('div', { class: 'approval-buttons' });
  buttons.append(
    element('button', { type: 'button', class: 'button', onclick: () => decide(run, true, buttons) }, 'Approve'),
    element('button', { type: 'button', class: 'button is-plain', onclick: () => decide(run, false, buttons) }, 'Decline'));
  const about = element('p', { class: 'approval-about' }, run.title || run.name);
  void describe(run.name).then((tool) => {
    if (tool) about.replaceChildren(element('strong', {}, tool.title || tool.name), ` ${tool.description}`);
  });
  return element('div', { class: 'approval-run' }, about, argumentList(run), buttons);
}

/** @param {string} name */
async function describe(name) {
  try {
    tools ??= ask('GET', '/tools');
    return (await tools).find((tool) => tool.name === name);
  } catch {
    // The request can be judged by its name and arguments alone.
    tools = null;
    return undefined;
  }
}

/** @param {ToolRun} run */
function argumentList(run) {
  const given = parse(run.arguments);
  if (typeof given !== 'object' || given === null) return element('pre', { tabindex: 0 }, String(run.arguments));
  return element('dl', { class: 'arguments' }, ...Object.entries(given).flatMap(([name, value]) => [
    element('dt', {}, name),
    element('dd', {}, typeof value === 'string' ? value : JSON.stringify(value, null, 2)),
  ]));
}

/** @param {string | object} given */
function parse(given) {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
