/** Providers: the list, and the form that adds one. */

import { ask } from '../api.js';
import { element, icon, outsideLink, toast } from '../dom.js';
import { secretField, textField } from './fields.js';
import { goOn } from './navigation.js';
import { badge, card, message, notice, onlyFor, portrait } from './parts.js';
import { showProvider } from './provider.js';
import { Editor } from './unsaved.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Provider} Provider */
/** @typedef {import('../types.js').ProviderType} ProviderType */

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function show(root, context) {
  const [providers, types] = await Promise.all([ask('GET', '/providers'), ask('GET', '/provider-types')]);
  if (context.part === 'new' && context.mayChange) return showNew(root, context, types);
  const chosen = providers.find((/** @type {Provider} */ { id }) => id === context.part);
  if (chosen) return showProvider(root, context, chosen, types.find((/** @type {ProviderType} */ { type }) => type === chosen.type));
  showList(root, context, providers, types);
}

/**
 * @param {HTMLElement} root
 * @param {Context} context
 * @param {Provider[]} providers
 * @param {ProviderType[]} types
 */
function showList(root, context, providers, types) {
  const titles = new Map(types.map(({ type, title }) => [type, title]));
  const add = context.mayChange && element('a', { class: 'button', href: '/settings/providers#new' }, icon('plus'), 'Add a provider');
  root.append(element('div', { class: 'section-intro' },
    element('p', {}, 'Who answers: the services and local servers whose models your agents use.'), add || null));
  if (!context.mayChange) root.append(onlyFor('the owner of this server'));
  if (!providers.length) root.append(notice('info', 'There is no provider yet. Until you add one, the built-in model answers with quotes from what it finds.'));
  root.append(element('ul', { class: 'items' }, ...providers.map((provider, place) => element('li', {},
    element('a', { class: 'item', href: `/settings/providers#${provider.id}` }, portrait(provider.name, place),
      element('span', { class: 'item-words' }, element('strong', {}, provider.name),
        element('span', { class: 'note' }, [titles.get(provider.type) ?? provider.type, provider.default_model].filter(Boolean).join(' · '))),
      provider.is_default && badge('good', icon('check'), 'Used by default'),
      keyBadge(provider, types.find(({ type }) => type === provider.type)), icon('right'))))));
}

/**
 * @param {Provider} provider
 * @param {ProviderType | undefined} type
 */
function keyBadge(provider, type) {
  if (provider.has_key) return badge('good', icon('check'), 'Key');
  return type && !type.needs_key ? badge('plain', 'No key needed') : badge('warning', icon('warning'), 'No key');
}

/**
 * @param {HTMLElement} root
 * @param {Context} context
 * @param {ProviderType[]} all
 */
function showNew(root, context, all) {
  context.head('New provider', ['/settings/providers', 'All providers']);
  const types = all.filter(({ abilities }) => abilities.includes('answer'));
  const choices = types.map((type) => choice(type));
  const name = textField('Name', { required: true, maxlength: 100 }, { hint: 'As you want to see it in lists.' });
  const address = textField('Base URL', { type: 'url', inputmode: 'url', class: 'field is-code' }, { hint: 'Leave it empty for the service’s own address, shown in grey. A server of your own has its address here.' });
  const key = secretField('API key', {}, { hint: element('span', {}) });
  const chosen = () => types.find((_, index) => choices[index].radio.checked) ?? types[0];
  let isNamed = false;
  name.control.addEventListener('input', () => { isNamed = true; });
  const adapt = () => {
    const type = chosen();
    if (!isNamed) name.value = type.title;
    address.control.placeholder = type.base_url || 'http://127.0.0.1:8080/v1';
    key.root.hidden = !type.key_variable && !type.needs_key;
    key.hint?.replaceChildren(...keyHint(type));
  };
  for (const { radio } of choices) radio.addEventListener('change', adapt);
  const start = choices[0];
  if (start) start.radio.checked = true;
  adapt();
  const editor = new Editor({
    isNew: true,
    read: () => ({ type: chosen().type, name: name.value.trim(), base_url: address.value.trim(), key: key.value.trim() }),
    save: async ({ key: secret, ...values }) => {
      const made = await ask('POST', '/providers', values);
      await keepKey(made, secret);
      goOn(`/settings/providers#${made.id}`);
    },
    discard: () => goOn('/settings/providers'),
    fields: { name, base_url: address, key },
  }, card('Service', null,
    element('fieldset', { class: 'choices' }, element('legend', {}, 'Type'), ...choices.map(({ root: each }) => each)), name.root, address.root, key.root));
  root.append(editor.root);
}

/** @param {ProviderType} type */
function choice(type) {
  const radio = element('input', { type: 'radio', name: 'type', value: type.type });
  return { radio, root: element('label', { class: 'choice' }, radio, element('span', {}, element('strong', {}, type.title), element('span', { class: 'note' }, type.description))) };
}

/** @param {ProviderType} type */
function keyHint(type) {
  const words = ['Goes into the key store and never comes back to this page. You can add it later.'];
  return type.key_url ? [...words, ' ', outsideLink(type.key_url, {}, `Get a key from ${type.title}`)] : words;
}

/**
 * The provider is there even if its key could not be kept: say so on its own page.
 * @param {Provider} provider
 * @param {string} key
 */
async function keepKey(provider, key) {
  if (!key) return;
  try {
    await ask('PUT', `/providers/${provider.id}/key`, { key });
  } catch (error) {
    toast(`The provider was added, but its key was not kept. ${message(error)}`, { label: 'OK', run: () => {}, seconds: 30 });
  }
}
