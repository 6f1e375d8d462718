/** The models of a provider: fetched from it, with what is good to know before choosing one. */

import { ask } from '../api.js';
import { announce, element, icon, plural } from '../dom.js';
import { textField } from './fields.js';
import { badge, busy, button, card, message, resultLine, sign } from './parts.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Model} Model */
/** @typedef {import('../types.js').Provider} Provider */

const FILTER_FROM = 8;

/**
 * @param {Context} context
 * @param {Provider} provider
 */
export function modelsCard(context, provider) {
  const list = element('ul', { class: 'models' });
  const result = resultLine();
  const filter = textField('Find a model', { type: 'search' });
  /** @type {Model[]} */
  let models = [];
  const draw = () => {
    const words = filter.value.trim().toLowerCase();
    const found = models.filter(({ model, title }) => `${model} ${title}`.toLowerCase().includes(words));
    filter.root.hidden = models.length < FILTER_FROM;
    list.replaceChildren(...found.map((model) => row(model, provider, context.mayChange ? choose : null)));
    if (words) announce(`${plural(found.length, 'model')} found`);
  };
  const choose = async (/** @type {Model} */ { model }, /** @type {HTMLButtonElement} */ pressed) => {
    try {
      Object.assign(provider, await busy(pressed, () => ask('PATCH', `/providers/${provider.id}`, { default_model: model })));
      draw();
      result.say('good', `${model} is the default model now.`);
      const current = list.querySelector('[aria-current]');
      if (current instanceof HTMLElement) current.focus();
    } catch (error) {
      result.say('error', `Not saved. ${message(error)}`);
    }
  };
  const load = async (/** @type {'GET' | 'POST'} */ method) => {
    ({ models } = await ask(method, `/providers/${provider.id}/models`, method === 'POST' ? {} : undefined));
    draw();
  };
  const fetch = button('Fetch models', async (pressed) => {
    try {
      await busy(pressed, () => load('POST'));
      result.say(models.length ? 'good' : 'warning', models.length ? `${plural(models.length, 'model')} fetched.` : 'The service answered with no models.');
    } catch (error) {
      result.say('error', `The models were not fetched. ${message(error)}`);
    }
  });
  fetch.disabled = !context.mayChange;
  filter.control.addEventListener('input', draw);
  void load('GET').catch((error) => result.say('error', message(error)));
  return card('Models', 'The default is used wherever neither the agent nor the question names another one.', element('div', { class: 'row' }, fetch), result, filter.root, list);
}

/**
 * @param {Model} model
 * @param {Provider} provider
 * @param {((model: Model, button: HTMLButtonElement) => void) | null} choose
 */
function row(model, provider, choose) {
  const isDefault = model.model === provider.default_model;
  const act = choose && !isDefault ? button('Make default', (pressed) => choose(model, pressed)) : null;
  act?.setAttribute('aria-label', `Make ${model.model} the default`);
  return element('li', { class: 'model', 'aria-current': isDefault ? 'true' : null, tabindex: isDefault ? -1 : null },
    element('span', { class: 'item-words' }, element('strong', {}, model.title || model.model), model.title && model.title !== model.model && element('code', {}, model.model)),
    model.searches_itself && badge('plain', sign('globe'), 'Searches itself'), end(model), isDefault && badge('good', icon('check'), 'Default'), act);
}

/** @param {Model} model */
function end({ shutdown_date: date }) {
  if (!date) return null;
  const isOver = new Date(date) < new Date();
  return badge(isOver ? 'error' : 'warning', icon('warning'), `${isOver ? 'Shut down' : 'Shuts down'} ${date}`);
}
