/** Whom to ask, with which model, and who searches. */

import { ask, query } from './api.js';
import { element, find, toast } from './dom.js';
import { recall, remember } from './memory.js';

/** @typedef {import('./types.js').Agent} Agent */
/** @typedef {import('./types.js').Provider} Provider */
/** @typedef {import('./types.js').Model} Model */
/** @typedef {import('./types.js').NewMessage} NewMessage */
/** What the picker needs of a model; without `thinking` everything is offered. @typedef {Pick<Model, 'model' | 'title' | 'shutdown_date' | 'searches_itself'> & {thinking?: string[]}} Choice */

/** What a group of a demo's agents is called. */
const SIMULATED = 'Simulated on this machine';

export class Pickers {
  #agent = /** @type {HTMLSelectElement} */ (find('#agent'));
  #model = /** @type {HTMLSelectElement} */ (find('#model'));
  #search = /** @type {HTMLSelectElement} */ (find('#search-mode'));
  #thinking = /** @type {HTMLSelectElement} */ (find('#thinking'));
  /** @type {Map<string, string[]>} What each model's thinking can be set to, by the option's value. */
  #thoughts = new Map();
  /** The agent of the chat that is shown, null in a new one. @type {string | null} */
  #held = null;
  #isLoaded = false;
  /** @type {Agent[]} */
  #agents = [];
  /** @type {Provider[]} */
  #providers = [];
  /** The first model that each provider offers, by its id: of a list that nobody fetched, the one that is asked. @type {Map<string, string>} */
  #usual = new Map();

  constructor() {
    this.#search.value = recall('search') ?? 'auto';
    this.#thinking.value = recall('thinking') ?? '';
    for (const [name, select] of Object.entries({ agent: this.#agent, model: this.#model, search: this.#search, thinking: this.#thinking })) {
      select.addEventListener('change', () => remember(name, select.value));
    }
    this.#model.addEventListener('change', () => this.#offerThinking());
    this.#agent.addEventListener('change', () => this.#nameModel());
  }

  /** @param {string | null} workspaceId */
  async load(workspaceId) {
    try {
      const [agents, providers] = await Promise.all([
        ask('GET', `/agents${query({ workspace_id: workspaceId })}`), ask('GET', '/providers'),
      ]);
      this.#fillAgents(agents, new Set(providers.flatMap((/** @type {Provider} */ { id, is_simulated: isSimulated }) => (isSimulated ? [id] : []))));
      find('#first-run').hidden = providers.length > 0 || document.documentElement.dataset.owner !== 'true';
      await this.#fillModels(providers);
    } catch (error) {
      toast(`Agents and models could not be loaded: ${error instanceof Error ? error.message : error}`);
    }
  }

  /**
   * Show the agent of a chat, which stays the same from its first question on; null is a new chat.
   * @param {string | null} id
   */
  hold(id) {
    this.#held = id;
    this.#showAgent();
  }

  #showAgent() {
    const wanted = this.#held ?? recall('agent') ?? '';
    const isKnown = [...this.#agent.options].some((option) => option.value === wanted);
    if (isKnown) this.#agent.value = wanted;
    else if (this.#held && this.#isLoaded) void this.#nameAgent(this.#held);
    this.#agent.disabled = !this.#isLoaded || this.#held !== null || !this.#agent.options.length;
    this.#nameModel();
    this.#agent.title = this.#held === null ? 'Agent' : 'The agent of this chat. Start a new chat for another one.';
  }

  /**
   * Add an agent that the list lacks, such as one of another workspace.
   * @param {string} id
   */
  async #nameAgent(id) {
    const agent = await ask('GET', `/agents/${encodeURIComponent(id)}`).catch(() => ({ id, name: 'Unknown agent' }));
    if (this.#held !== id) return;
    this.#agent.append(element('option', { value: id }, agent.name));
    this.#agent.value = id;
  }

  /**
   * Choose an agent by name for a new chat, if there is one of this name.
   * @param {string} name
   */
  choose(name) {
    const option = [...this.#agent.options].find((each) => each.text === name);
    if (!option || this.#held !== null) return;
    this.#agent.value = option.value;
    this.#nameModel();
  }

  /** Let the provider or the server search again, as in a new page. */
  searchAgain() {
    this.#search.value = 'auto';
    remember('search', 'auto');
  }

  get choices() {
    const [provider_id, model] = this.#model.value ? JSON.parse(this.#model.value) : [null, null];
    // The options are those of index.html, which a test holds against the server's.
    const search = /** @type {NewMessage['search']} */ (this.#search.value);
    const thinking = /** @type {NewMessage['thinking']} */ (this.#thinking.value || null);
    return { agentId: this.#held ?? this.#agent.value, provider_id, model, search, thinking };
  }

  /**
   * @param {Agent[]} agents
   * @param {Set<string>} simulated  the providers that a demo simulates on this machine
   */
  #fillAgents(agents, simulated) {
    const option = (/** @type {Agent} */ agent) => element('option', { value: agent.id, title: agent.description || null }, agent.name);
    const [others, own] = [true, false].map((isSimulated) => agents.filter(({ preferred_provider_id: id }) => simulated.has(id ?? '') === isSimulated));
    this.#agent.replaceChildren(...own.map(option), ...(others.length ? [element('optgroup', { label: SIMULATED }, ...others.map(option))] : []));
    this.#agents = agents;
    this.#isLoaded = true;
    this.#agent.dataset.ready = 'true';
    this.#showAgent();
  }

  /** @param {Provider[]} providers */
  async #fillModels(providers) {
    const lists = await Promise.all(providers.map((provider) => modelsOf(provider)));
    const groups = providers.map((provider, index) => element('optgroup', { label: provider.name },
      ...lists[index].map(({ model, title, shutdown_date: end }) => element('option', { value: JSON.stringify([provider.id, model || null]) },
        `${title || model}${end ? ` (until ${end})` : ''}`))));
    this.#providers = providers;
    this.#usual = new Map(providers.map(({ id }, index) => [id, lists[index].length === 1 ? lists[index][0].model : '']));
    this.#model.replaceChildren(element('option', { value: '' }, 'Agent’s model'), ...groups);
    this.#nameModel();
    const kept = recall('model') ?? '';
    if ([...this.#model.options].some((option) => option.value === kept)) this.#model.value = kept;
    this.#thoughts = new Map(providers.flatMap((provider, index) => lists[index].flatMap(({ model, thinking }) =>
      (thinking ? [[JSON.stringify([provider.id, model || null]), thinking]] : []))));
    this.#offerThinking();
  }

  /** The agent's provider and model, as far as they can be known before it is asked. */
  get #own() {
    const agent = this.#agents.find(({ id }) => id === this.#agent.value);
    const provider = this.#providers.find(({ id }) => id === agent?.preferred_provider_id) ?? this.#providers.find((each) => each.is_default);
    return { provider, model: agent?.preferred_model_id || provider?.default_model || this.#usual.get(provider?.id ?? '') || '' };
  }

  /** Say which model the agent's is. */
  #nameModel() {
    const own = this.#model.options[0];
    if (!own || own.value) return;
    const { model } = this.#own;
    own.text = model ? `${model} (agent’s)` : 'Agent’s model';
    this.#offerThinking();
  }

  /** Offer only what the model can be told, nothing where it does not think; of one that nobody knows, everything. */
  #offerThinking() {
    const { provider, model } = this.#own;
    const known = this.#thoughts.get(this.#model.value || JSON.stringify([provider?.id, model]));
    this.#thinking.hidden = known?.length === 0;
    for (const option of this.#thinking.options) option.disabled = Boolean(option.value && known && !known.includes(option.value));
    if (this.#thinking.selectedOptions[0]?.disabled) this.#thinking.value = '';
  }
}

/**
 * Return the models that are known of a provider, at least its default; "" is the provider's own choice.
 * @param {Provider} provider
 * @returns {Promise<Choice[]>}
 */
async function modelsOf(provider) {
  const fallback = [{ model: provider.default_model, title: provider.default_model ? '' : `${provider.name}’s own choice`, shutdown_date: '', searches_itself: false }];
  try {
    const { models } = await ask('GET', `/providers/${provider.id}/models`);
    return models.length ? models : fallback;
  } catch {
    // A provider without a list still has its default model.
    return fallback;
  }
}
