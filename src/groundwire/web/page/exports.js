/** Taking an answer or a chat away: as a file in one of the server's formats, as a page, as a link. */

import { announce, toast } from './dom.js';

/** @typedef {import('./types.js').ExportFormat} ExportFormat */
/** @typedef {import('./menu.js').Item} Item */

/** @type {ExportFormat[]} */
let formats = [];

/** @param {ExportFormat[]} told  by the server, in the order of the menu */
export function setFormats(told) {
  formats = told;
}

/**
 * @param {string} id  of the message
 * @returns {Item[]}
 */
export function answerItems(id) {
  const page = `/answers/${encodeURIComponent(id)}`;
  return [
    { label: 'Copy link', icon: 'link', run: () => { void share(page); } },
    { label: 'Open as a page', icon: 'open', href: page },
    ...files('answer', `/api/messages/${encodeURIComponent(id)}/export`),
  ];
}

/**
 * @param {string} id  of the session
 * @returns {Item[]}
 */
export function chatItems(id) {
  return [
    { label: 'Copy link', icon: 'link', run: () => { void share(`/s/${encodeURIComponent(id)}`); } },
    ...files('chat', `/api/sessions/${encodeURIComponent(id)}/export`),
  ];
}

/**
 * @param {ExportFormat['of'][number]} subject
 * @param {string} path
 * @returns {Item[]}
 */
function files(subject, path) {
  return formats.filter((each) => each.of.includes(subject)).map(({ format, title }, index) => (
    { label: `Save as ${title}`, icon: 'save', href: `${path}?format=${encodeURIComponent(format)}`, download: true, isApart: index === 0 }));
}

/**
 * Hand a link over: to the phone's own sheet, else to the clipboard.
 * @param {string} path
 */
async function share(path) {
  const url = new URL(path, location.href).href;
  if (matchMedia('(pointer: coarse)').matches && 'share' in navigator) return void navigator.share({ url }).catch(() => {});
  try {
    await navigator.clipboard.writeText(url);
    announce('Link copied');
    toast('Link copied. It opens for those who may see this chat.');
  } catch {
    toast(`The browser did not allow copying. The link is ${url}`, { label: 'Open', run: () => open(url), seconds: 30 });
  }
}
