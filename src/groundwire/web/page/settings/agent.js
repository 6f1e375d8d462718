/** One agent: what it is told, which model it asks, and whether it may search the web. */

import { ask } from '../api.js';
import { element } from '../dom.js';
import { areaField, choiceField, textField, toggle } from './fields.js';
import { goOn } from './navigation.js';
import { busy, button, card, confirmed, message, notice, onlyFor, resultLine, sign } from './parts.js';
import { Editor } from './unsaved.js';

/** @typedef {import('../types.js').Agent} Agent */
/** @typedef {import('./types.js').AgentValues} AgentValues */
/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Model} Model */
/** @typedef {import('../types.js').Provider} Provider */
/** @typedef {import('../types.js').Workspace} Workspace */

const COST_NOTE = 'Lets this agent look things up on the web when an answer needs fresh facts. Searches and the pages it reads can add to what your provider charges.';

/** @type {AgentValues} */
const BLANK = { name: '', description: '', system_prompt: '', preferred_provider_id: null, preferred_model_id: null, temperature: null, web_search_enabled: false, thinking: '' };

/** @type {[string, string][]} */
const THINKING = [['', 'As the provider’s settings have it'], ['off', 'Off'], ['on', 'On'], ['low', 'Low'], ['medium', 'Medium'], ['high', 'High']];

/**
 * @param {HTMLElement} root
 * @param {Context} context
 * @param {Agent | null} agent  null for a new one
 * @param {Provider[]} providers
 */
export function showAgent(root, context, agent, providers) {
  const form = new AgentForm(agent ?? BLANK, providers, !context.mayChange);
  const editor = new Editor({
    isNew: !agent,
    read: () => form.values,
    save: async (values) => {
      if (!agent) return goOn(`/settings/agents#${(await ask('POST', '/agents', { workspace_id: context.workspace?.id, ...values })).id}`);
      Object.assign(agent, await ask('PATCH', `/agents/${agent.id}`, values));
    },
    discard: () => { if (agent) form.fill(agent); else goOn('/settings/agents'); },
    fields: form.fields,
  }, form.identity, form.model, form.web);
  context.head(agent?.name ?? 'New agent', ['/settings/agents', 'All agents']);
  if (!context.mayChange) root.append(onlyFor('an admin of the workspace'));
  root.append(editor.root);
  if (agent && context.mayChange && !agent.is_built_in) root.append(deleteCard(agent));
  void warnOfPolicy(form, context);
}

class AgentForm {
  /**
   * @param {AgentValues} agent
   * @param {Provider[]} providers
   * @param {boolean} disabled
   */
  constructor(agent, providers, disabled) {
    this.providers = providers;
    const name = textField('Name', { required: true, maxlength: 100, disabled });
    const description = textField('Description', { maxlength: 300, disabled }, { hint: 'One line that helps people choose.' });
    const prompt = areaField('System prompt', '', { rows: 7, disabled }, { hint: 'What the agent is told before every conversation. Instructions on citing are added automatically.' });
    const provider = choiceField('Provider', [['', 'The one used by default'], ...providers.map(({ id, name: shown }) => /** @type {[string, string]} */ ([id, shown]))], '', { disabled });
    const model = textField('Model', { list: 'agent-models', class: 'field is-code', disabled }, { hint: 'Leave it empty for the provider’s default.' });
    const temperature = textField('Temperature', { type: 'number', min: 0, max: 2, step: 0.1, inputmode: 'decimal', disabled }, { hint: 'From 0 (steady) to 2 (varied). Empty: the model’s own. Newer models take none.' });
    const thinking = choiceField('Thinking', THINKING, '', { disabled }, { hint: 'Whether the model thinks before it answers, and how hard. A model that cannot be told is left as it is, and the answer says so.' });
    this.fields = { name, description, system_prompt: prompt, preferred_provider_id: provider, preferred_model_id: model, temperature, thinking };
    this.search = toggle({ label: 'Web Search', note: COST_NOTE, isOn: agent.web_search_enabled, isSwitch: true, isDisabled: disabled, sign: sign('globe') });
    this.options = element('datalist', { id: 'agent-models' });
    this.identity = card('Who it is', null, name.root, description.root, prompt.root);
    this.model = card('Model', null, element('div', { class: 'columns' }, provider.root, model.root), element('div', { class: 'columns' }, temperature.root, thinking.root), this.options);
    this.web = card('Web', null, this.search.root);
    provider.control.addEventListener('change', () => { model.value = ''; void this.#offer(); });
    this.fill(agent);
  }

  /** @param {AgentValues} agent */
  fill(agent) {
    const { name, description, system_prompt: prompt, preferred_provider_id: provider, preferred_model_id: model, temperature, thinking } = this.fields;
    name.value = agent.name;
    description.value = agent.description;
    prompt.value = agent.system_prompt;
    provider.value = agent.preferred_provider_id ?? '';
    model.value = agent.preferred_model_id ?? '';
    temperature.value = agent.temperature === null ? '' : String(agent.temperature);
    thinking.value = agent.thinking;
    this.search.control.checked = agent.web_search_enabled;
    void this.#offer();
  }

  /** @returns {AgentValues} */
  get values() {
    const { name, description, system_prompt: prompt, preferred_provider_id: provider, preferred_model_id: model, temperature, thinking } = this.fields;
    return {
      name: name.value.trim(),
      description: description.value.trim(),
      system_prompt: prompt.value,
      preferred_provider_id: provider.value || null,
      preferred_model_id: model.value.trim() || null,
      temperature: temperature.value === '' ? null : Number(temperature.value),
      web_search_enabled: this.search.control.checked,
      thinking: thinking.value,
    };
  }

  /** Offer the models of the chosen provider; any other name can be typed. */
  async #offer() {
    const provider = this.providers.find(({ id }) => id === this.fields.preferred_provider_id.value);
    this.fields.preferred_model_id.control.placeholder = provider?.default_model ?? '';
    this.options.replaceChildren();
    if (!provider) return;
    try {
      const { models } = await ask('GET', `/providers/${provider.id}/models`);
      this.options.replaceChildren(...models.map((/** @type {Model} */ { model, title }) => element('option', { value: model }, title)));
    } catch {
      // Without a list the name is typed.
    }
  }
}

/**
 * The switch alone opens nothing: the workspace must allow the web as well.
 * @param {AgentForm} form
 * @param {Context} context
 */
async function warnOfPolicy(form, context) {
  if (!context.workspace) return;
  try {
    const workspace = /** @type {Workspace} */ (await ask('GET', `/workspaces/${context.workspace.id}`));
    if (workspace.web_search_enabled && workspace.web_allowed_domains.length) return;
    const reason = workspace.web_search_enabled ? 'lists no allowed domain' : 'has web search turned off';
    form.web.append(notice('warning', `The workspace ${workspace.name} ${reason}, so this agent cannot search. `, element('a', { href: '/settings/web-access' }, 'Open web access')));
  } catch {
    // A warning that cannot be made is left out; the chat says why it did not search.
  }
}

/** @param {Agent} agent */
function deleteCard(agent) {
  const result = resultLine();
  const remove = button('Delete agent', async (pressed) => {
    if (!await confirmed({ title: `Delete ${agent.name}?`, text: 'This cannot be undone. An agent that has chats stays until they are deleted.', yes: 'Delete agent' })) return;
    try {
      await busy(pressed, () => ask('DELETE', `/agents/${agent.id}`));
      goOn('/settings/agents');
    } catch (error) {
      result.say('error', `Not deleted. ${message(error)}`);
    }
  }, 'is-warned');
  return card('Delete this agent', 'Possible once it has no chats.', element('div', { class: 'row' }, remove), result);
}
