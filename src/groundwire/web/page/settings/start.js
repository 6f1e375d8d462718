/** First steps: which model, whose search, which domains; each is tried at once. */

import { ApiError, ask } from '../api.js';
import { element, outsideLink } from '../dom.js';
import { areaField, choiceField, secretField, textField } from './fields.js';
import { badge, busy, button, card, message, onlyFor, resultLine } from './parts.js';
import { showTest } from './provider.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Provider} Provider */
/** @typedef {import('../types.js').ProviderType} ProviderType */
/** @typedef {import('../types.js').Service} Service */
/** @typedef {import('../types.js').Web} Web */
/** @typedef {import('../types.js').Workspace} Workspace */
/** @typedef {ReturnType<typeof resultLine>} ResultLine */

/** The model that needs nothing. */
const BUILT_IN = 'extractive';

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function show(root, context) {
  root.append(element('div', { class: 'section-intro' }, element('p', {}, 'Three questions; each answer is tried at once. Everything can be changed later in the other sections.')));
  if (!context.mayChange) return void root.append(onlyFor('the owner of this server'));
  const [providers, types, web, workspace] = await Promise.all([
    ask('GET', '/providers'), ask('GET', '/provider-types'), ask('GET', '/web'),
    context.workspace ? ask('GET', `/workspaces/${context.workspace.id}`) : null,
  ]);
  root.append(modelCard(providers, types), searchCard(web));
  if (workspace) root.append(domainsCard(workspace));
  root.append(element('div', { class: 'row' }, element('a', { class: 'button', href: '/' }, 'Ask the first question')));
}

/**
 * Run what a form's button does, and say what came of it.
 * @param {string} label
 * @param {ResultLine} result
 * @param {() => Promise<unknown>} act
 */
function tryButton(label, result, act) {
  return button(label, async (pressed) => {
    result.clear();
    try {
      await busy(pressed, act);
    } catch (error) {
      result.say('error', message(error));
    }
  }, '');
}

/**
 * @param {ProviderType} type
 * @param {Provider | undefined} provider
 */
function nameOfType(type, provider) {
  if (type.type === BUILT_IN) return 'Built in: quotes what is found, no key';
  return provider?.has_key || !type.needs_key ? type.title : `${type.title} (needs a key)`;
}

/**
 * @param {Provider[]} providers
 * @param {ProviderType[]} types
 */
function modelCard(providers, types) {
  const result = resultLine();
  const state = element('p', { class: 'state' });
  const of = (/** @type {string} */ type) => providers.find((each) => each.type === type);
  const sorted = types.toSorted((one, other) => Number(other.type === BUILT_IN) - Number(one.type === BUILT_IN));
  const current = providers.find((each) => each.is_default)?.type ?? BUILT_IN;
  const service = choiceField('Service', sorted.map((type) => [type.type, nameOfType(type, of(type.type))]), current);
  const address = textField('Address', { type: 'url', inputmode: 'url', class: 'field is-code' }, { hint: 'Leave it empty for the service’s own, shown in grey. A server of your own, such as Ollama, has its address here.' });
  const key = secretField('API key', {}, { hint: element('span', {}) });
  const chosen = () => /** @type {ProviderType} */ (types.find(({ type }) => type === service.value));
  const adapt = () => {
    const type = chosen();
    const provider = of(type.type);
    address.root.hidden = type.type === BUILT_IN;
    address.value = provider?.base_url === type.base_url ? '' : provider?.base_url ?? '';
    address.control.placeholder = type.base_url;
    key.root.hidden = !type.key_variable;
    key.hint?.replaceChildren(provider?.has_key ? 'A key is set. Enter another one to replace it.' : 'Goes into the key store and never comes back to this page.',
      ...(type.key_url ? [' ', outsideLink(type.key_url, {}, `Get a key from ${type.title}`)] : []));
    const now = providers.find((each) => each.is_default);
    state.replaceChildren(badge('plain', 'Now'), now ? `${now.name}${now.default_model ? `, ${now.default_model}` : ''}` : 'The built-in model, which quotes what is found.');
  };
  service.control.addEventListener('change', () => { result.clear(); adapt(); });
  const act = async () => {
    const type = chosen();
    const provider = await kept(of(type.type), type, address.value.trim());
    if (!providers.some(({ id }) => id === provider.id)) providers.push(provider);
    if (key.value.trim()) await ask('PUT', `/providers/${provider.id}/key`, { key: key.value.trim() });
    key.value = '';
    const said = await ask('POST', `/providers/${provider.id}/test`, {});
    if (said.success) await ask('PATCH', `/providers/${provider.id}`, { is_default: true });
    providers.splice(0, providers.length, ...await ask('GET', '/providers'));
    adapt();
    showTest(result, said);
  };
  adapt();
  return card('1. Which model answers?', 'Until you choose one, the built-in model answers with quotes. It needs no key and no network.', state, service.root, address.root, key.root,
    element('div', { class: 'row' }, tryButton('Try and use', result, act)), result);
}

/**
 * Return the provider of a type, made or moved to the address that was given.
 * @param {Provider | undefined} provider
 * @param {ProviderType} type
 * @param {string} address
 * @returns {Promise<Provider>}
 */
async function kept(provider, type, address) {
  if (!provider) return ask('POST', '/providers', { type: type.type, name: type.title, base_url: address });
  return (provider.base_url ?? '') === (address || type.base_url) ? provider : ask('PATCH', `/providers/${provider.id}`, { base_url: address || type.base_url });
}

/** @param {Web} web */
function searchCard(web) {
  const result = resultLine();
  const state = element('p', { class: 'state' });
  const able = () => web.available.filter(({ abilities }) => abilities.includes('search'));
  const titleOf = (/** @type {string} */ name) => web.available.find((each) => each.name === name)?.title ?? name;
  const label = (/** @type {Service} */ { title, needs_key: needs, has_key: has }) => (needs && !has ? `${title} (needs a key)` : title);
  const service = choiceField('Service', able().map((each) => [each.name, label(each)]), web.search_provider[0]);
  const key = secretField('API key', {}, { hint: 'Goes into the key store and never comes back to this page.' });
  const chosen = () => /** @type {Service} */ (able().find(({ name }) => name === service.value));
  const adapt = () => {
    key.root.hidden = !chosen()?.key_variable;
    state.replaceChildren(badge('plain', 'Now'), `${web.search_provider.map(titleOf).join(', then ')}. `, whenNext(web));
  };
  service.control.addEventListener('change', () => { result.clear(); adapt(); });
  const act = async () => {
    const { name } = chosen();
    if (key.value.trim()) await ask('PUT', `/web/${name}/key`, { key: key.value.trim() });
    key.value = '';
    const said = await ask('POST', `/web/${name}/test`, {});
    const order = said.success ? [name, ...web.search_provider.filter((each) => each !== name)] : web.search_provider;
    Object.assign(web, await ask('PUT', '/web', { search_provider: order }));
    adapt();
    showTest(result, said);
  };
  adapt();
  return card('2. Whose search?', 'Used for models that cannot search themselves, and whenever domains are listed below.', state, service.root, key.root,
    element('div', { class: 'row' }, tryButton('Try and use', result, act)), result);
}

/**
 * Return in words when the next service of a chain is asked.
 * @param {Web} web
 */
export function whenNext({ search_provider: names, next_on_nothing: isAsked, together }) {
  if (names.length < 2) return 'No other service is asked if it fails.';
  if (together) return 'All of them are asked at once.';
  return isAsked ? 'The next one is asked if the one before fails or finds nothing.' : 'The next one is asked only if the one before fails, not if it finds nothing.';
}

const EVERYWHERE = '*';
const WHERE = /** @type {[string, string][]} */ ([['all', 'The whole public web'], ['some', 'Only the domains below'], ['none', 'Nowhere: agents do not use the web']]);

/** @param {Workspace} workspace */
function domainsCard(workspace) {
  const result = resultLine();
  const state = element('p', { class: 'state' });
  const known = () => workspace.web_allowed_domains.filter((each) => each !== EVERYWHERE);
  const where = choiceField('Agents may go to', WHERE, placeOf(workspace));
  const domains = areaField('Domains', known().join('\n'), { rows: 4, class: 'field is-code', spellcheck: 'false', placeholder: 'help.sap.com\n*.wikipedia.org' }, { hint: 'One on each line; *.example.org is every host below example.org.' });
  const adapt = () => { domains.root.hidden = where.value !== 'some'; };
  const told = () => state.replaceChildren(badge('plain', 'Now'), placeInWords(workspace));
  where.control.addEventListener('change', () => { result.clear(); adapt(); });
  const act = async () => {
    const lines = domains.value.split('\n').map((line) => line.trim()).filter(Boolean);
    if (where.value === 'some' && !lines.length) return domains.refuse('Name at least one domain.');
    const allowed = { all: [EVERYWHERE], some: lines, none: [] }[where.value] ?? [];
    try {
      Object.assign(workspace, await ask('PATCH', `/workspaces/${workspace.id}`, { web_search_enabled: where.value !== 'none', web_fetch_enabled: where.value !== 'none', web_allowed_domains: allowed }));
    } catch (error) {
      if (error instanceof ApiError && error.fields.length) return domains.refuse(error.fields.map(({ value, reason }) => `${value}: ${reason}`).join('; '));
      throw error;
    }
    told();
    if (where.value === 'none') return result.say('good', 'Saved. Answers will say that no search ran.');
    showTest(result, await ask('POST', '/web/search', { domains: allowed }));
  };
  adapt();
  told();
  return card('3. Which domains?', element('span', {}, 'For the workspace ', element('strong', {}, workspace.name), '. The list holds for every result, page and redirect, whether the provider searches or Groundwire does.'), state, where.root, domains.root,
    element('div', { class: 'row' }, tryButton('Save and try', result, act)), result);
}

/** @param {Workspace} workspace */
function placeOf({ web_search_enabled: search, web_fetch_enabled: fetch, web_allowed_domains: domains }) {
  if ((!search && !fetch) || !domains.length) return 'none';
  return domains.includes(EVERYWHERE) ? 'all' : 'some';
}

/** @param {Workspace} workspace */
function placeInWords(workspace) {
  const place = placeOf(workspace);
  if (place !== 'some') return { all: 'The whole public web.', none: 'Nowhere.' }[place] ?? '';
  const [first, ...rest] = workspace.web_allowed_domains;
  return rest.length ? `${first} and ${rest.length} more.` : `${first}.`;
}
