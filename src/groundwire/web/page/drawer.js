/** The session list on a phone: slides over the chat and keeps the keyboard inside. */

import { find } from './dom.js';

export function attachDrawer() {
  const side = find('#side');
  const button = find('#menu');
  const page = find('#chat');
  const isNarrow = matchMedia('(max-width: 60rem)');
  const set = (/** @type {boolean} */ isOpen) => {
    side.classList.toggle('is-open', isOpen);
    button.setAttribute('aria-expanded', String(isOpen));
    // What cannot be seen cannot be reached.
    side.inert = isNarrow.matches && !isOpen;
    page.inert = isNarrow.matches && isOpen;
  };
  const close = () => {
    const hadFocus = side.contains(document.activeElement);
    set(false);
    if (hadFocus && isNarrow.matches) button.focus();
  };
  const open = () => {
    set(true);
    if (isNarrow.matches) find('#close-menu').focus();
  };
  button.addEventListener('click', open);
  find('#close-menu').addEventListener('click', close);
  find('#backdrop').addEventListener('click', close);
  side.addEventListener('keydown', (event) => { if (event.key === 'Escape' && isNarrow.matches) close(); });
  isNarrow.addEventListener('change', () => set(false));
  set(false);
  return { open, close };
}
