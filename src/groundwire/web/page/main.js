/** Puts the chat page together. */

import { ask, leaveForLogin } from './api.js';
import { attachThemeButton } from './appearance.js';
import { Chat, loadAnswers } from './chat.js';
import { Composer } from './composer.js';
import { attachDrawer } from './drawer.js';
import { element, find, openLibraryOf, toast, useIcons } from './dom.js';
import { setFormats } from './exports.js';
import { recall, remember } from './memory.js';
import { go, route, startRouting } from './router.js';
import { SessionList } from './sessions.js';

/** @typedef {import('./types.js').Me} Me */

const NAME = 'Groundwire';

const drawer = attachDrawer();
attachThemeButton(find('#theme'));

const sessions = new SessionList({
  onDeleted: (id) => { if (id === chat.sessionId) go('/'); },
  onCurrent: (session) => showTitle(session.title),
});

const composer = new Composer({
  onSend: (draft) => { void chat.send(draft); },
  onStop: () => { void chat.stop(); },
  onTyping: () => { void loadAnswers(); },
});

const chat = new Chat({
  onBusy: (isBusy) => composer.setBusy(isBusy),
  onStarted: (id) => {
    go(`/s/${id}`, { isSilent: true });
    composer.pickers.hold(chat.agentId);
    sessions.setCurrent(id);
    void showMenu(id);
    void sessions.load();
  },
  onEnded: () => {
    void sessions.load();
    void showQuotas();
  },
  onAsk: (text) => composer.ask(text),
  onSession: (session, workspaceId) => {
    openLibraryOf(workspaceId ?? sessions.workspaceId);
    showTitle(session?.title ?? '');
    composer.pickers.hold(session?.agent_id ?? null);
    void showMenu(session?.id ?? null);
  },
});
chat.onSearch = () => composer.pickers.searchAgain();
chat.onChoices = () => chat.setChoices({ text: '', attachments: [], ...composer.pickers.choices });

/** @param {string} title */
function showTitle(title) {
  find('#title').textContent = title || 'New chat';
  document.title = title ? `${title} · ${NAME}` : NAME;
}

/** @param {string | null} id  of a chat that has begun */
async function showMenu(id) {
  const place = find('#chat-menu');
  place.hidden = !id;
  if (!id || place.dataset.of === id) return;
  place.dataset.of = id;
  (await import('./chat-menu.js')).showChatMenu(place, id);
}

let hasQuotas = false;

async function showQuotas() {
  if (hasQuotas) await (await import('./quota.js')).showQuota(sessions.workspaceId);
}

/** @param {string | null} id */
function show(id) {
  drawer.close();
  sessions.setCurrent(id);
  void chat.open(id);
  composer.focus();
}

route(/^\/s\/(?<id>[^/]+)$/, ({ id }) => show(decodeURIComponent(id)));
route(/^/, () => show(null));

async function help() {
  (await import('./help.js')).showHelp();
}
find('#help').addEventListener('click', () => { void help(); });

/** @param {KeyboardEvent} event */
function isWriting({ target }) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

document.addEventListener('keydown', (event) => {
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    drawer.open();
    sessions.focusSearch();
  } else if (isCommand && event.shiftKey && event.key.toLowerCase() === 'o') {
    event.preventDefault();
    go('/');
  } else if (isCommand ? event.key === '/' : event.key === '?' && !isWriting(event)) {
    event.preventDefault();
    void help();
  } else if (event.key === '/' && !isCommand && !isWriting(event)) {
    event.preventDefault();
    composer.focus();
  }
});

/** @param {Me['starters']} starters */
function offer(starters) {
  find('#starters').replaceChildren(...starters.map(({ text, agent }) => element('li', {},
    element('button', { type: 'button', class: 'starter', dir: 'auto', onclick: () => composer.ask(text, agent) }, text))));
}

/** @param {Me} me */
function chooseWorkspace(me) {
  const kept = recall('workspace');
  const chosen = me.workspaces.find(({ id }) => id === kept) ?? me.workspaces[0];
  sessions.workspaceId = chosen?.id ?? null;
  if (me.workspaces.length < 2) return;
  const select = /** @type {HTMLSelectElement} */ (find('#workspace'));
  select.replaceChildren(...me.workspaces.map(({ id, name }) => element('option', { value: id, selected: id === chosen.id }, name)));
  select.hidden = false;
  select.addEventListener('change', () => {
    remember('workspace', select.value);
    sessions.workspaceId = select.value;
    void showQuotas();
    go('/');
    void sessions.load();
    void composer.pickers.load(select.value);
  });
}

async function start() {
  try {
    const me = /** @type {Me} */ (await ask('GET', '/me'));
    if (me.needs_setup) return location.assign('/setup');
    if (me.needs_login && !me.user) return leaveForLogin();
    document.documentElement.dataset.owner = String(me.user ? me.user.is_owner : true);
    setFormats(me.exports);
    useIcons(me.has_icons);
    offer(me.starters);
    chooseWorkspace(me);
    hasQuotas = me.has_quotas;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), { label: 'Retry', run: () => { void start(); }, seconds: 60 });
    return;
  }
  startRouting();
  await Promise.all([sessions.load(), composer.pickers.load(sessions.workspaceId), showQuotas()]);
}

void start();
