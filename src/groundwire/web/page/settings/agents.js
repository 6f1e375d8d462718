/** Agents: the list. */

import { ask, query } from '../api.js';
import { element, icon } from '../dom.js';
import { showAgent } from './agent.js';
import { badge, notice, onlyFor, portrait, sign } from './parts.js';

/** @typedef {import('../types.js').Agent} Agent */
/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Provider} Provider */

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function show(root, context) {
  const [agents, providers] = await Promise.all([ask('GET', `/agents${query({ workspace_id: context.workspace?.id })}`), ask('GET', '/providers')]);
  if (context.part === 'new' && context.mayChange) return showAgent(root, context, null, providers);
  const chosen = agents.find((/** @type {Agent} */ { id }) => id === context.part);
  if (chosen) return showAgent(root, context, chosen, providers);
  const add = context.mayChange && element('a', { class: 'button', href: '/settings/agents#new' }, icon('plus'), 'New agent');
  root.append(element('div', { class: 'section-intro' }, element('p', {}, 'Who you talk to: a prompt, a model, and whether it may use the web.'), add || null));
  if (!context.mayChange) root.append(onlyFor('an admin of the workspace'));
  if (!agents.length) root.append(notice('info', 'This workspace has no agent yet. Create one to start a chat.'));
  root.append(element('ul', { class: 'items' }, ...agents.map((/** @type {Agent} */ agent) => element('li', {}, item(agent, providers)))));
}

/**
 * @param {Agent} agent
 * @param {Provider[]} providers
 */
function item(agent, providers) {
  const provider = providers.find(({ id }) => id === agent.preferred_provider_id);
  const model = agent.preferred_model_id || provider?.default_model;
  return element('a', { class: 'item', href: `/settings/agents#${agent.id}` }, portrait(agent.name),
    element('span', { class: 'item-words' }, element('strong', {}, agent.name),
      element('span', { class: 'note' }, agent.description || [provider?.name, model].filter(Boolean).join(' · ') || 'The provider used by default')),
    agent.is_built_in && badge('plain', 'Built in'),
    agent.web_search_enabled ? badge('good', sign('globe'), 'Web') : badge('plain', 'No web'), icon('right'));
}
