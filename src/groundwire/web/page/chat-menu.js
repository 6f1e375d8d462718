/** The menu of a whole chat, which is loaded once there is one. */

import { chatItems } from './exports.js';
import { menuButton } from './menu.js';

/**
 * @param {HTMLElement} place
 * @param {string} id  of the session
 */
export function showChatMenu(place, id) {
  place.replaceChildren(menuButton('Share and export this chat', 'share', () => chatItems(id)));
}
