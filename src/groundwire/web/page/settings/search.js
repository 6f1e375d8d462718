/** Who searches and who reads for models that cannot: ordered lists of services, their keys, and what is compared. */

import { ask } from '../api.js';
import { element } from '../dom.js';
import { Chain } from './chain.js';
import { ChecksFields, judges } from './checks.js';
import { toggle } from './fields.js';
import { card, notice, onlyFor } from './parts.js';
import { servicesCard } from './services.js';
import { whenNext } from './start.js';
import { Editor } from './unsaved.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Service} Service */
/** @typedef {import('../types.js').Web} Web */

/** It reads by itself, without a service. @type {Service} */
const LOCAL = { name: 'local', title: 'Built-in reader', abilities: ['read'], needs_key: false, has_key: false, key_variable: null };

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function show(root, context) {
  const web = /** @type {Web} */ (await ask('GET', '/web'));
  const isDisabled = !context.mayChange;
  const checks = new ChecksFields(web.checks, await judges(web.checks.judge, [['', 'No model']]), isDisabled);
  const able = (/** @type {string} */ ability) => web.available.filter(({ abilities }) => abilities.includes(ability));
  const search = new Chain({ label: 'Search', services: able('search'), names: web.search_provider, isDisabled });
  const read = new Chain({ label: 'Read', services: [LOCAL, ...able('read')], names: web.read_provider, isDisabled });
  const next = toggle({ label: 'Ask the next service if nothing is found', note: 'Otherwise the next service is asked only if one fails.', isOn: web.next_on_nothing, isDisabled });
  const icons = toggle({ label: 'Show icons of sources', note: 'This server asks each cited site for its icon, within the allowed domains, and caches it; browsers ask nobody else. When off, a letter stands for each site.', isOn: web.source_icons, isDisabled });
  const order = element('p', { class: 'note', role: 'status' });
  const tell = () => { order.textContent = `Asked in this order. ${whenNext({ ...web, search_provider: search.names, next_on_nothing: next.control.checked })}`; };
  const editor = new Editor({
    read: () => ({ search_provider: search.names, read_provider: read.names, next_on_nothing: next.control.checked, source_icons: icons.control.checked, checks: checks.values }),
    save: async (values) => { Object.assign(web, await ask('PUT', '/web', values)); },
    discard: () => { search.fill(web.search_provider); read.fill(web.read_provider); next.control.checked = web.next_on_nothing; icons.control.checked = web.source_icons; checks.fill(web.checks); tell(); },
    fields: checks.fields,
  }, card('Search', order, search.root, next.root),
  card('Read', 'Turns pages into text. Asked in this order: the next one only if the one before fails.', read.root), checks.root, card('Sources', null, icons.root));
  tell();
  for (const chain of [search, read]) chain.onChange = () => { tell(); editor.check(); };
  next.control.addEventListener('change', tell);
  root.append(element('div', { class: 'section-intro' }, element('p', {}, 'Used when Groundwire searches itself: for models that cannot search, and whenever a workspace limits the domains.')));
  if (isDisabled) root.append(onlyFor('the owner of this server'));
  if (!web.available.length) root.append(notice('warning', 'No search or read service is installed.'));
  root.append(editor.root, servicesCard(context, web.available, (services) => {
    for (const chain of [search, read]) chain.refresh(services);
  }));
}
