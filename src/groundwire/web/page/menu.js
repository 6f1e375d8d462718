/** A button that opens a list of links and commands below it; Escape and a click elsewhere close it. */

import { element, icon, iconButton } from './dom.js';

/** @typedef {{label: string, icon?: string, href?: string, download?: boolean, isApart?: boolean, run?: () => void}} Item  a link or a command; `isApart` begins a group */

/**
 * @param {string} name
 * @param {string} iconName
 * @param {() => Item[]} items  asked for when it opens
 */
export function menuButton(name, iconName, items) {
  const list = element('ul', { class: 'menu', popover: 'auto', 'aria-label': name });
  const button = iconButton(name, iconName, () => {}, { 'aria-expanded': 'false', 'aria-haspopup': 'true' });
  button.popoverTargetElement = list;
  list.addEventListener('beforetoggle', (event) => {
    if (event.newState === 'open') list.replaceChildren(...items().map((item) => row(item, list)));
  });
  list.addEventListener('toggle', (event) => {
    const isOpen = event.newState === 'open';
    button.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) return;
    place(list, button);
    /** @type {HTMLElement | null} */ (list.querySelector('a, button'))?.focus();
  });
  list.addEventListener('keydown', (event) => move(event, list));
  return element('span', { class: 'menu-place' }, button, list);
}

/**
 * @param {Item} item
 * @param {HTMLElement} list
 */
function row({ label, icon: iconName, href, download, isApart, run }, list) {
  const sign = iconName ? icon(iconName) : element('span', { class: 'icon' });
  const properties = { class: 'menu-item', onclick: () => { run?.(); list.hidePopover(); } };
  const made = href
    ? element('a', { ...properties, href, download, target: download ? null : '_blank', rel: 'noopener' }, sign, label)
    : element('button', { ...properties, type: 'button' }, sign, label);
  return element('li', { class: isApart ? 'is-apart' : null }, made);
}

/**
 * Put the list below its button, above it where there is no room.
 * @param {HTMLElement} list
 * @param {HTMLElement} button
 */
function place(list, button) {
  const [at, size] = [button.getBoundingClientRect(), list.getBoundingClientRect()];
  const below = at.bottom + 4 + size.height <= innerHeight;
  list.style.setProperty('--left', `${Math.max(8, Math.min(at.left, innerWidth - size.width - 8))}px`);
  list.style.setProperty('--top', `${below ? at.bottom + 4 : Math.max(8, at.top - size.height - 4)}px`);
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement} list
 */
function move(event, list) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const items = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('.menu-item')]);
  const at = items.findIndex((item) => item === document.activeElement);
  items[(at + step + items.length) % items.length]?.focus();
}
