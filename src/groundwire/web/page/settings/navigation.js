/** Ways from one part of the settings to another; none of them loses what was typed. */

import { follow, isPlain } from '../router.js';
import { forgetEditor, isUnsaved, mayLeave } from './unsaved.js';

/** The address of what is on the screen. */
let shown = '';

function address() {
  return location.pathname + location.hash;
}

/** Say that the address is what the screen shows. */
export function arrive() {
  shown = address();
}

/**
 * Go to a part of the settings, such as `/settings/agents#new`.
 * @param {string} wanted
 */
export function visit(wanted) {
  if (wanted !== address()) history.pushState(null, '', wanted);
  follow();
}

/**
 * Go on from a form whose values are kept, or gone for good: nothing is asked.
 * @param {string} wanted
 */
export function goOn(wanted) {
  forgetEditor();
  visit(wanted);
}

/**
 * Change the address of what is shown without a step in the browser's history.
 * @param {string} wanted
 */
export function replaceAddress(wanted) {
  history.replaceState(null, '', wanted);
  arrive();
}

/**
 * Follow the address. After a step back with unsaved changes the address returns first, and the
 * person is asked.
 * @param {() => void} show
 */
export function whenFree(show) {
  const wanted = address();
  if (!isUnsaved() || wanted === shown) return show();
  history.pushState(null, '', shown);
  void mayLeave().then((isLeaving) => { if (isLeaving) visit(wanted); });
}

/** Have links among the settings followed without loading the page again. */
export function watchLinks() {
  document.addEventListener('click', async (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="/settings"]') : null;
    if (!(link instanceof HTMLAnchorElement) || !isPlain(event)) return;
    event.preventDefault();
    if (await mayLeave()) visit(link.pathname + link.hash);
  });
}
