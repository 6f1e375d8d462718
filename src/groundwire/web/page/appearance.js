/** The button that changes between the system's, the light and the dark theme. */

import { announce } from './dom.js';
import { forget, recall, remember } from './memory.js';

const THEMES = ['system', 'light', 'dark'];

/** @param {HTMLElement} button */
export function attachThemeButton(button) {
  const show = (/** @type {string} */ theme) => {
    const name = `Theme: ${theme}`;
    button.setAttribute('aria-label', name);
    button.title = name;
    button.dataset.theme = theme;
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    return name;
  };
  let theme = recall('theme') ?? 'system';
  show(theme);
  button.addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    if (theme === 'system') forget('theme');
    else remember('theme', theme);
    announce(show(theme));
  });
}
