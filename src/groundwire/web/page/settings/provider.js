/** One provider: its name and address, its key, whether it answers, and its models. */

import { ask } from '../api.js';
import { element, icon, outsideLink, plural } from '../dom.js';
import { secretField, textField } from './fields.js';
import { modelsCard } from './models.js';
import { goOn } from './navigation.js';
import { badge, busy, button, card, confirmed, message, onlyFor, resultLine } from './parts.js';
import { Editor } from './unsaved.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Provider} Provider */
/** @typedef {import('../types.js').ProviderType} ProviderType */
/** @typedef {import('../types.js').Test} TestResult */

/** @type {Record<string, string>} */
const PLACES = {
  keyring: 'Kept in this system’s key ring.',
  file: 'Kept in the key file of the server, readable by its user only.',
  environment: 'Taken from the server’s environment. Change it there.',
  dotenv: 'Taken from a .env file on the server. Change it there.',
};

/**
 * @param {HTMLElement} root
 * @param {Context} context
 * @param {Provider} provider
 * @param {ProviderType | undefined} type
 */
export function showProvider(root, context, provider, type) {
  context.head(provider.name, ['/settings/providers', 'All providers']);
  if (!context.mayChange) root.append(onlyFor('the owner of this server'));
  const needsKey = type?.needs_key !== false || type.key_variable || provider.has_key;
  let keys = needsKey ? keyCard(context, provider, type) : null;
  const renewKeys = () => {
    const fresh = keyCard(context, provider, type);
    keys?.replaceWith(fresh);
    keys &&= fresh;
  };
  root.append(connectionForm(context, provider, type, renewKeys));
  if (keys) root.append(keys);
  root.append(defaultCard(context, provider), testCard(context, provider), modelsCard(context, provider));
  if (context.mayChange) root.append(deleteCard(provider));
}

/**
 * @param {Context} context
 * @param {Provider} provider
 * @param {ProviderType | undefined} type
 * @param {() => void} onSaved
 */
function connectionForm(context, provider, type, onSaved) {
  const name = textField('Name', { value: provider.name, required: true, maxlength: 100, disabled: !context.mayChange });
  const address = textField('Base URL', { type: 'url', inputmode: 'url', class: 'field is-code', value: provider.base_url ?? '', placeholder: type?.base_url, disabled: !context.mayChange },
    { hint: `${type?.base_url ? `Empty: ${type.base_url}.` : 'Where your server listens, such as http://127.0.0.1:8080/v1.'} With another address the key must be entered again: it was not meant for that one.` });
  const editor = new Editor({
    read: () => ({ name: name.value.trim(), base_url: address.value.trim() }),
    save: async (values) => {
      Object.assign(provider, await ask('PATCH', `/providers/${provider.id}`, values));
      onSaved();
    },
    discard: () => { name.value = provider.name; address.value = provider.base_url ?? ''; },
    fields: { name, base_url: address },
  }, card(type?.title ?? provider.type, type?.description ?? null, name.root, ...(context.mayChange ? [address.root] : [])));
  return editor.root;
}

/**
 * @param {Context} context
 * @param {Provider} provider
 * @param {ProviderType | undefined} type
 */
function keyCard(context, provider, type) {
  const state = element('p', { class: 'state' });
  const result = resultLine();
  const key = secretField('New key', { required: true });
  const save = element('button', { type: 'submit', class: 'button' }, 'Save key');
  const remove = button('Remove key', () => removeKey());
  const draw = () => {
    const place = provider.has_key ? PLACES[provider.key_place] ?? 'A key is kept.' : 'Without a key the service will not answer.';
    state.replaceChildren(provider.has_key ? badge('good', icon('check'), 'Key set') : badge('warning', icon('warning'), 'No key'), place);
    remove.hidden = !provider.has_key || ['environment', 'dotenv'].includes(provider.key_place);
  };
  const refresh = async () => {
    Object.assign(provider, (await ask('GET', '/providers')).find((/** @type {Provider} */ { id }) => id === provider.id));
    draw();
  };
  const keep = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (!key.value.trim()) return key.refuse('Enter the key first.');
    try {
      await busy(save, () => ask('PUT', `/providers/${provider.id}/key`, { key: key.value.trim() }));
      key.value = '';
      await refresh();
      result.say('good', 'The key is saved. It is not shown again.');
    } catch (error) {
      result.say('error', `The key was not saved. ${message(error)}`);
    }
  };
  const removeKey = async () => {
    if (!await confirmed({ title: 'Remove the key?', text: `${provider.name} will not answer until a new key is entered.`, yes: 'Remove key' })) return;
    try {
      await busy(remove, () => ask('DELETE', `/providers/${provider.id}/key`));
      await refresh();
      result.say('good', 'The key is removed.');
    } catch (error) {
      result.say('error', `The key was not removed. ${message(error)}`);
    }
  };
  draw();
  const link = type?.key_url ? outsideLink(type.key_url, { class: 'after' }, `Get a key from ${type.title}`) : null;
  const form = element('form', { onsubmit: keep, novalidate: true }, key.root, element('div', { class: 'row' }, save, remove, link));
  return card('API key', 'Goes into the key store of the server; neither the database nor this page ever has it.', state, context.mayChange && form, result);
}

/**
 * @param {Context} context
 * @param {Provider} provider
 */
function defaultCard(context, provider) {
  const result = resultLine();
  const state = element('p', { class: 'state' });
  const use = button('Use by default', async (pressed) => {
    try {
      Object.assign(provider, await busy(pressed, () => ask('PATCH', `/providers/${provider.id}`, { is_default: true })));
      draw();
      result.say('good', `${provider.name} is used by default now.`);
    } catch (error) {
      result.say('error', `Not saved. ${message(error)}`);
    }
  });
  const draw = () => {
    const model = provider.default_model ? `With ${provider.default_model}.` : 'With the model that the service is usually asked for.';
    state.replaceChildren(...(provider.is_default ? [badge('good', icon('check'), 'Used by default'), model] : ['Another provider is used by default.']));
    row.hidden = provider.is_default || !context.mayChange;
  };
  const row = element('div', { class: 'row' }, use);
  draw();
  return card('Default', 'One provider, with its default model, answers wherever neither the agent nor the question names another.', state, row, result);
}

/**
 * @param {Context} context
 * @param {Provider} provider
 */
function testCard(context, provider) {
  const result = resultLine();
  const test = button('Test connection', async (pressed) => {
    result.clear();
    try {
      const said = /** @type {TestResult} */ (await busy(pressed, () => ask('POST', `/providers/${provider.id}/test`, {})));
      if (said) showTest(result, said);
    } catch (error) {
      result.say('error', message(error));
    }
  });
  test.disabled = !context.mayChange;
  return card('Connection', 'Asks the service for its list of models, which costs nothing.', element('div', { class: 'row' }, test), result);
}

/** @typedef {ReturnType<typeof resultLine>} ResultLine */

/**
 * Show what a service said when it was tried, with its own words and what to do.
 * @param {ResultLine} result
 * @param {TestResult} said
 */
export function showTest(result, said) {
  const count = said.model_count ? ` ${plural(said.model_count, 'model')} available.` : '';
  if (said.success) return result.say('good', `It answers.${count || ` ${message(said.message)}`}`);
  const fix = said.fix && !said.message.includes(said.fix) ? element('span', { class: 'fix' }, `What to do: ${said.fix}.`) : null;
  result.say('error', message(said.message), said.code && element('code', { class: 'code-word' }, said.code), fix);
}

/** @param {Provider} provider */
function deleteCard(provider) {
  const result = resultLine();
  const remove = button('Delete provider', async (pressed) => {
    const text = 'Its key is removed as well. Agents that use it will use the provider that is used by default. Answers that are kept stay.';
    if (!await confirmed({ title: `Delete ${provider.name}?`, text, yes: 'Delete provider' })) return;
    try {
      await busy(pressed, () => ask('DELETE', `/providers/${provider.id}`));
      goOn('/settings/providers');
    } catch (error) {
      result.say('error', `Not deleted. ${message(error)}`);
    }
  }, 'is-warned');
  return card('Delete this provider', 'Its key goes with it.', element('div', { class: 'row' }, remove), result);
}
