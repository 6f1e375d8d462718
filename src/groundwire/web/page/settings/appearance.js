/** Appearance: the theme of this browser. */

import { announce, element } from '../dom.js';
import { forget, recall, remember } from '../memory.js';
import { card } from './parts.js';

/** @typedef {import('./types.js').Context} Context */

const THEMES = [['system', 'System', 'Follows your device'], ['light', 'Light', 'Always light'], ['dark', 'Dark', 'Always dark']];

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function show(root, context) {
  const chosen = recall('theme') ?? 'system';
  const choices = THEMES.map(([name, title, note]) => {
    const radio = element('input', { type: 'radio', name: 'theme', value: name, onchange: () => choose(name, title) });
    radio.checked = name === chosen;
    return element('label', { class: 'choice is-theme' }, sample(name), element('span', { class: 'row is-tight' }, radio, element('span', {}, element('strong', {}, title), element('span', { class: 'note' }, note))));
  });
  root.append(element('div', { class: 'section-intro' }, element('p', {}, 'Kept in this browser. Motion follows your device: where it asks for less, nothing moves.')),
    card('Theme', null, element('fieldset', { class: 'choices is-three' }, element('legend', { class: 'visually-hidden' }, 'Theme'), ...choices)),
    element('p', { class: 'note' }, `Groundwire ${context.me.version}`));
}

/**
 * @param {string} name
 * @param {string} title
 */
function choose(name, title) {
  if (name === 'system') {
    forget('theme');
    delete document.documentElement.dataset.theme;
  } else {
    remember('theme', name);
    document.documentElement.dataset.theme = name;
  }
  announce(`Theme: ${title}`);
}

/** @param {string} name */
function sample(name) {
  const half = (/** @type {string} */ side) => element('span', { class: 'sample-page', 'data-side': side }, element('i'), element('i'), element('b'));
  return element('span', { class: 'sample', 'aria-hidden': 'true' }, ...(name === 'system' ? ['light', 'dark'] : [name]).map(half));
}
