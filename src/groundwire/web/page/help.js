/** What can be done by keyboard, in a dialog. */

import { element, iconButton } from './dom.js';

const KEYS = /** @type {const} */ ([
  ['Ask', [['Enter', 'Send the question'], ['Shift Enter', 'New line'], ['/', 'Go to the question'], ['Escape', 'Close a card, a menu or a dialog']]],
  ['Chats', [['Ctrl K', 'Search chats'], ['Ctrl Shift O', 'New chat']]],
  ['Answer', [['Tab', 'Next marker, link or button'], ['Enter', 'Open the source of a marker'], ['Arrows', 'Move in a menu']]],
  ['Help', [['?', 'This list, outside of a field'], ['Ctrl /', 'This list, from anywhere']]],
]);

/** @type {HTMLDialogElement | null} */
let shown = null;

export function showHelp() {
  shown ??= make();
  if (!shown.open) shown.showModal();
}

function make() {
  const close = iconButton('Close', 'close', () => dialog.close(), { autofocus: true });
  const groups = KEYS.map(([name, rows]) => element('section', {}, element('h3', {}, name),
    element('dl', {}, ...rows.map(([keys, words]) => element('div', {},
      element('dt', {}, ...keys.split(' ').map((key) => element('kbd', {}, named(key)))), element('dd', {}, words))))));
  const dialog = element('dialog', { class: 'help', 'aria-labelledby': 'help-title' },
    element('header', {}, element('h2', { id: 'help-title' }, 'Keyboard'), close), element('div', { class: 'help-groups' }, ...groups));
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  return dialog;
}

/** @param {string} key */
function named(key) {
  return key === 'Ctrl' && /Mac|iP(hone|ad)/.test(navigator.platform) ? '⌘' : key;
}
