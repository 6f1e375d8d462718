/** Puts the settings together: the list of sections, and the one that the address names. */

import { ask, leaveForLogin } from '../api.js';
import { announce, element, find } from '../dom.js';
import { recall, remember } from '../memory.js';
import { follow, route, startRouting } from '../router.js';
import { arrive, replaceAddress, watchLinks, whenFree } from './navigation.js';
import { backLink, failure, message, sign, waiting } from './parts.js';
import { forgetEditor, mayLeave } from './unsaved.js';

/** @typedef {import('../types.js').Me} Me */
/** @typedef {import('./types.js').Context} Context */
/** @typedef {{title: string, sign: string, load: () => Promise<{show: (root: HTMLElement, context: Context) => Promise<void> | void}>, isForAdmins?: boolean, isOwners?: boolean, isUsers?: boolean}} Section */

/** @type {Record<string, Section>} */
const SECTIONS = {
  start: { title: 'Start here', sign: 'flag', load: () => import('./start.js'), isOwners: true },
  providers: { title: 'Providers', sign: 'plug', load: () => import('./providers.js'), isOwners: true },
  agents: { title: 'Agents', sign: 'agent', load: () => import('./agents.js') },
  'web-access': { title: 'Web Access', sign: 'globe', load: () => import('./web-access.js') },
  library: { title: 'Library', sign: 'page', load: () => import('./library.js') },
  search: { title: 'Search and read', sign: 'search', load: () => import('./search.js'), isOwners: true },
  gateway: { title: 'Gateway', sign: 'gate', load: () => import('./gateway.js') },
  usage: { title: 'Usage', sign: 'chart', load: () => import('./usage.js') },
  members: { title: 'Members and tokens', sign: 'people', load: () => import('./members.js'), isForAdmins: true },
  workspaces: { title: 'Workspaces', sign: 'rooms', load: () => import('./workspaces.js'), isOwners: true },
  audit: { title: 'Audit', sign: 'history', load: () => import('./audit.js'), isForAdmins: true },
  account: { title: 'Account', sign: 'person', load: () => import('./account.js'), isUsers: true },
  appearance: { title: 'Appearance', sign: 'theme', load: () => import('./appearance.js') },
};

/** @type {Me} */
let me;
/** Counts what was asked for: a section that comes late must not replace a newer one. */
let visits = 0;

const workspacePicker = /** @type {HTMLSelectElement} */ (find('#workspace'));

function workspace() {
  return me.workspaces.find(({ id }) => id === workspacePicker.value) ?? me.workspaces[0] ?? null;
}

/** Without users, whoever is on this machine owns it. */
function isOwner() {
  return me.user ? me.user.is_owner : true;
}

function isAdmin() {
  return isOwner() || workspace()?.role === 'admin';
}

/** @param {string} name */
async function show(name) {
  const section = SECTIONS[name];
  if (!section) {
    replaceAddress('/settings/providers');
    return show('providers');
  }
  const visit = ++visits;
  forgetEditor();
  arrive();
  drawMenu(name);
  document.title = `${section.title} · Settings · Groundwire`;
  const part = decodeURIComponent(location.hash.slice(1));
  const root = element('div', { class: 'section-body' });
  const head = element('header', { class: 'section-head' }, element('h1', {}, section.title));
  find('#section').replaceChildren(head, root);
  find('#content').scrollTop = 0;
  const slow = setTimeout(() => root.replaceChildren(waiting()), 150);
  try {
    const { show: fill } = await section.load();
    const made = element('div', { class: 'section-body' });
    await fill(made, {
      me,
      workspace: workspace(),
      isOwner: isOwner(),
      mayChange: section.isOwners ? isOwner() : isAdmin(),
      part,
      renew,
      head: (title, [href, label]) => head.replaceChildren(backLink(href, label), element('h1', {}, title)),
    });
    if (visit === visits) root.replaceWith(made);
  } catch (error) {
    if (visit === visits) root.replaceChildren(failure(error, () => show(name)));
  } finally {
    clearTimeout(slow);
  }
}

/** @param {string} current */
function drawMenu(current) {
  const items = Object.entries(SECTIONS).filter(([, section]) => (isAdmin() || !section.isForAdmins) && (me.user || !section.isUsers)).map(([name, section]) => element('li', {},
    element('a', { href: `/settings/${name}`, 'aria-current': name === current ? 'page' : null }, sign(section.sign), element('span', {}, section.title))));
  find('#sections').replaceChildren(...items);
  find('#sections').querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

/** Fill the list of workspaces; the one that was chosen stays so. */
function fillWorkspaces() {
  const kept = workspacePicker.value || recall('workspace');
  workspacePicker.replaceChildren(...me.workspaces.map(({ id, name }) => element('option', { value: id, selected: id === kept }, name)));
  find('#workspace-label').hidden = me.workspaces.length < 2;
}

/** Ask anew who is here and which workspaces there are. */
async function renew() {
  me = await ask('GET', '/me');
  fillWorkspaces();
}

function drawWorkspaces() {
  fillWorkspaces();
  let before = workspacePicker.value;
  workspacePicker.addEventListener('change', async () => {
    const chosen = workspacePicker.value;
    workspacePicker.value = before;
    if (!await mayLeave()) return;
    workspacePicker.value = before = chosen;
    remember('workspace', chosen);
    announce(`Workspace: ${workspace()?.name}`);
    replaceAddress(location.pathname);
    follow();
  });
}

function drawPerson() {
  if (!me.user) return;
  const leave = element('button', { type: 'button', class: 'quiet-button', onclick: async () => {
    if (!await mayLeave()) return;
    try {
      const left = await ask('POST', '/logout', {});
      forgetEditor();
      location.assign(left?.next ?? '/login');
    } catch (error) {
      announce(message(error));
    }
  } }, 'Sign out');
  const connect = me.sso && !me.is_connected ? [element('button', { type: 'button', class: 'quiet-button', title: `Sign in with ${me.sso} from now on`, onclick: async () => {
    if (!await mayLeave()) return;
    try {
      location.assign((await ask('POST', '/sso/connect', {})).next);
    } catch (error) {
      announce(message(error));
    }
  } }, `Connect ${me.sso}`)] : [];
  find('#person').replaceChildren(element('span', { class: 'person', title: me.user.is_owner ? 'Owner' : null }, sign('person'), element('span', {}, me.user.name)), ...connect, leave);
  find('#person').hidden = false;
}

async function start() {
  try {
    me = await ask('GET', '/me');
  } catch (error) {
    find('#section').replaceChildren(failure(error, start));
    return;
  }
  if (me.needs_setup) return location.assign('/setup');
  if (me.needs_login && !me.user) return leaveForLogin();
  drawWorkspaces();
  drawPerson();
  route(/^\/settings\/(?<name>[\w-]+)$/, ({ name }) => whenFree(() => { void show(name); }));
  route(/^/, () => whenFree(() => { void show(''); }));
  watchLinks();
  startRouting();
}

// The address names what is shown, so this link must leave it alone.
find('#skip').addEventListener('click', (event) => {
  event.preventDefault();
  find('#content').focus();
});

void start();
